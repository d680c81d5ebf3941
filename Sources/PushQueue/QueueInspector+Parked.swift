package import PushModel
package import PushWorker
internal import RedisClient

extension QueueInspector {
  /// Lengths of the parked lists of credentials, in their order.
  package func parkedCounts(of credentials: [CredentialKey]) async throws(QueueError) -> [Int] {
    let connection: RedisConnection
    do { connection = try await client.connected() } catch { throw QueueError(error) }
    let replies = credentials.map {
      connection.start(RedisCommand("LLEN", keys.parked($0)), timeout: client.timeout)
    }
    var counts: [Int] = []
    for reply in replies { counts.append(Int(try await reply.value().orThrow().integer ?? 0)) }
    return counts
  }

  /// A field of the `counters` hash.
  package func counter(_ field: String) async throws(QueueError) -> Int {
    Int(try await call(RedisCommand("HGET", keys.counters, field)).text ?? "") ?? 0
  }
}
