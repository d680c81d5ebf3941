import LoopIO
import RedisClient

/// The queue `push:messages` as a producer and an observer see it: plain commands, no code of ours.
final class TestQueue {
  private let connection: RedisConnection

  init(on loop: Loop, _ url: RedisURL) async throws {
    connection = try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(5))
  }

  private func call(_ words: String...) async -> RedisReply {
    var command = RedisCommand()
    for word in words { command.append(word) }
    return await connection.call(command, timeout: .seconds(10))
  }

  func push(_ events: [String]) async throws {
    for event in events { _ = try await call("RPUSH", "push:messages", event).get() }
  }

  /// Nothing is ready, waits for a retry, is held by anyone, or is to be taken alone.
  func isDrained() async -> Bool {
    guard await call("LLEN", "push:messages").integer == 0 else { return false }
    return await leftovers().isEmpty
  }

  /// Items in the list and those that wait for a retry.
  func waiting() async -> Int64 {
    await (call("LLEN", "push:messages").integer ?? 0)
      + (call("ZCARD", "{push:messages}:delayed").integer ?? 0)
  }

  /// Items that instances hold.
  func held() async -> Int64 {
    let keys = await call("KEYS", "{push:messages}:inflight:*").array?.compactMap(\.text) ?? []
    var sum: Int64 = 0
    for key in keys { sum += await call("HLEN", key).integer ?? 0 }
    return sum
  }

  /// Keys that hold items anywhere but in the list; leases of the killed end by themselves.
  func leftovers() async -> [String] {
    let keys = await call("KEYS", "{push:messages}:*").array?.compactMap(\.text) ?? []
    let harmless = [":counters", ":control", ":leases", ":instances"]
    return keys.filter { key in !harmless.contains { key.hasSuffix($0) } }
  }
}
