internal import PushQueue
internal import PushWorker
internal import SharedState

extension QueueInspector {
  /// Hands every matching letter of the list as it is now to `body`, oldest first, until `body`
  /// says false. `body` gets them in pages; it returns how many of them it removed from the list,
  /// so that the next page begins at the right place.
  func scanDead(
    _ filter: DeadFilter, _ body: ([DeadLetter]) async throws -> Int
  ) async throws {
    var left = try await deadCount()
    var position = 0
    var found = 0
    while left > 0, found < filter.limit ?? .max {
      let page = try await deadLetters(from: position, count: min(left, 100))
      guard !page.isEmpty else { return }
      left -= page.count
      let now = SystemClock().wall()
      var matching = page.map { DeadLetter($0) }.filter { filter.matches($0, now: now) }
      matching = Array(matching.prefix((filter.limit ?? .max) - found))
      found += matching.count
      position += page.count
      if !matching.isEmpty { position -= try await body(matching) }
    }
  }
}
