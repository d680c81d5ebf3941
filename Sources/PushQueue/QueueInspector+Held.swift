package import PushWorker
internal import RedisClient

// Records that the mass-invalidation brake held back.
extension QueueInspector {
  package func heldCount() async throws(QueueError) -> Int {
    Int(try await call(RedisCommand("LLEN", keys.held)).integer ?? 0)
  }

  /// Records as JSON (EVENTS.md 3), oldest first, from position `start`.
  package func heldTokens(from start: Int, count: Int) async throws(QueueError) -> [[UInt8]] {
    try await slice(keys.held, start, count)
  }

  /// Moves records to the feedback list; how many were still held. Its bound holds here too.
  package func releaseHeld(
    _ records: [[UInt8]], invalidMax: Int = QueueSettings().invalidMax
  ) async throws(QueueError) -> Int {
    try await moveHeld(records, isDropping: false, invalidMax)
  }

  /// Drops records; how many were still held.
  package func dropHeld(_ records: [[UInt8]]) async throws(QueueError) -> Int {
    try await moveHeld(records, isDropping: true, 0)
  }

  private func moveHeld(
    _ records: [[UInt8]], isDropping: Bool, _ invalidMax: Int
  ) async throws(QueueError) -> Int {
    var moved = 0
    var rest = records[...]
    while !rest.isEmpty {
      var call = ScriptCall(
        QueueScripts.releaseHeld, keys: [keys.held, keys.invalid, keys.counters])
      call.arguments.append(isDropping ? 1 : 0)
      call.arguments.append(invalidMax)
      for record in rest.prefix(100) { call.arguments.append(record) }
      rest = rest.dropFirst(100)
      moved += Int(try await client.call(call).orThrow().integer ?? 0)
    }
    return moved
  }
}
