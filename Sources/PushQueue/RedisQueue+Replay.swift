internal import PushWorker
internal import RedisClient

extension RedisQueue {
  /// Settles again what the server behind a new connection still holds for us: after a fail-over it
  /// may know less than its predecessor. Receipts that nobody here knows are left to `reconcile`.
  func replayIfReconnected() async {
    let connections = client.connections
    guard connections != replayedOver else { return }
    do throws(QueueError) {
      let (again, _) = try await compareOwnHash()
      if !again.isEmpty { _ = try await settle(again) }
      replayedOver = connections
    } catch {
      // The next beat tries once more.
    }
  }

  /// What Redis holds under our name, compared with what is known here.
  func compareOwnHash() async throws(QueueError) -> (again: [Settlement], unknown: [Receipt]) {
    roundTrips += 1
    let reply = try await client.call(RedisCommand("HKEYS", keys.inflight(instance))).orThrow()
    let fields = reply.array ?? []
    return book.compare(fields.compactMap { $0.text.flatMap { Receipt($0) } })
  }
}
