internal import PushQueue
internal import PushWorker
internal import SharedState

/// Some letters of a walk that match, and how far the walk is.
struct DeadPage: Sendable {
  var letters: [DeadLetter]
  /// Letters that lie in front of them.
  var depth: Int
  /// 0 to 1.
  var part: Double
}

extension QueueInspector {
  /// Hands every matching letter of the list as it is now to `body`, oldest first, in pages. `body`
  /// may remove letters, and so may others.
  func scanDead(
    _ filter: DeadFilter, _ body: (DeadPage) async throws -> Void
  ) async throws {
    let total = max(1, try await deadCount())
    var cursor = DeadCursor()
    var seen = 0
    var found = 0
    while found < filter.limit ?? .max {
      let page = try await deadLetters(after: &cursor, count: 100)
      guard !page.isEmpty else { return }
      seen += page.count
      let now = SystemClock().wall()
      let matching = page.map { DeadLetter($0) }.filter { filter.matches($0, now: now) }
        .prefix((filter.limit ?? .max) - found)
      found += matching.count
      let part = max(
        Double(seen) / Double(total), filter.limit.map { Double(found) / Double($0) } ?? 0)
      if !matching.isEmpty {
        try await body(DeadPage(letters: Array(matching), depth: cursor.depth, part: part))
      }
    }
  }
}
