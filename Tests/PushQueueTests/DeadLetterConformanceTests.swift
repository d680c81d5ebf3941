import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises about the bounds of dead letters, for both conformers.
@Suite(.redis) struct DeadLetterConformanceTests {
  private func bounded(
    max: Int = 1_000, bytes: Int = 1_000_000, _ whenFull: QueueSettings.WhenDeadFull
  ) -> QueueSettings {
    var settings = QueueSettings()
    settings.deadMax = max
    settings.deadMaxBytes = bytes
    settings.whenDeadFull = whenFull
    return settings
  }

  /// Each letter in a settlement of its own, so that all see what the one before left.
  private func bury(
    _ letters: [String], on stage: any QueueStage, by queue: any JobQueue
  ) async throws {
    for letter in letters {
      try await stage.push("item")
      let item = try await queue.take(1).items[0]
      _ = try await queue.settle([
        Settlement(item.receipt, [.deadLetter(.rejected, Array(letter.utf8))])
      ])
    }
  }

  @Test(arguments: QueueKind.allCases) func `a letter that finds the list full waits for room`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      var settings = bounded(max: 2, .park)
      settings.lease = .seconds(7_200)
      let queue = try await stage.worker("a", settings)
      try await bury(["l0", "l1", "l2", "l2"], on: stage, by: queue)
      #expect(try await stage.stored().isOnly(delayed: ["l2", "l2"], dead: ["l0", "l1"]))
      let full = try await queue.take(5)
      #expect(full.items.isEmpty && full.news.deadLettersWaiting == 2)
      #expect(try #require(full.nextDue) > .seconds(890))

      try await stage.pass(.seconds(901))
      #expect(try await queue.take(5).items.isEmpty, "letters are not sent again")
      #expect(try await stage.stored().isOnly(delayed: ["l2", "l2"], dead: ["l0", "l1"]))
      try await stage.popDead()
      try await stage.pass(.seconds(901))
      #expect(try await queue.take(5).news.deadLettersWaiting == 1)
      #expect(try await stage.stored().isOnly(delayed: ["l2"], dead: ["l1", "l2"]))
      try await stage.popDead()
      try await stage.pass(.seconds(901))
      #expect(try await queue.take(5).news.deadLettersWaiting == 0)
      let stored = try await stage.stored()
      #expect(stored.isOnly(dead: ["l2", "l2"]))
      #expect(stored.counters["dead:rejected"] == 4)
      #expect(stored.counters[QueueCounter.deadWaited] == 2)
      #expect(stored.counters[QueueCounter.deadTaken] == 2)
      #expect(stored.counters[QueueCounter.deadDropped] == nil)
    }
  }

  @Test(arguments: QueueKind.allCases) func `or the oldest letters make room and are counted`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker("a", bounded(max: 2, .dropOldest))
      try await bury(["l0", "l1", "l2", "l3"], on: stage, by: queue)
      let stored = try await stage.stored()
      #expect(stored.isOnly(dead: ["l2", "l3"]))
      #expect(stored.counters["dead:rejected"] == 4)
      #expect(stored.counters[QueueCounter.deadDropped] == 2)
    }
  }

  @Test(arguments: QueueKind.allCases) func `bytes are a bound too, but one letter always fits`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker("a", bounded(bytes: 10, .dropOldest))
      try await bury(["1234", "12345"], on: stage, by: queue)
      #expect(try await stage.stored().dead == ["1234", "12345"])
      #expect(try await stage.stored().counters[QueueCounter.deadBytes] == 9)
      try await bury(["123456"], on: stage, by: queue)
      #expect(try await stage.stored().dead == ["123456"])
      try await bury(["a letter larger than all"], on: stage, by: queue)
      #expect(try await stage.stored().dead == ["a letter larger than all"])
      try await bury(["x"], on: stage, by: queue)
      let stored = try await stage.stored()
      #expect(stored.dead == ["x"])
      #expect(stored.counters[QueueCounter.deadBytes] == 1)
    }
  }

  @Test(arguments: QueueKind.allCases) func `letters that others pop are noticed and counted`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker("a", bounded(bytes: 12, .dropOldest))
      try await bury(["aaaa", "bbbb", "cccc"], on: stage, by: queue)
      try await stage.popDead()
      try await stage.popDead()
      try await bury(["dddd", "eeee"], on: stage, by: queue)
      var stored = try await stage.stored()
      #expect(stored.dead == ["cccc", "dddd", "eeee"], "there was room again")
      #expect(stored.counters[QueueCounter.deadTaken] == 2)
      #expect(stored.counters[QueueCounter.deadBytes] == 12)
      for _ in 0..<3 { try await stage.popDead() }
      try await bury(["f"], on: stage, by: queue)
      stored = try await stage.stored()
      #expect(stored.counters[QueueCounter.deadTaken] == 5)
      #expect(stored.counters[QueueCounter.deadBytes] == 1, "exact again")
    }
  }

  @Test(arguments: QueueKind.allCases) func `a waiting letter is no item, and others go on`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker("a", bounded(max: 1, .park))
      try await bury(["l0", "l1", "l2"], on: stage, by: queue)
      try await stage.push(count: 8)
      try await stage.pass(.seconds(901))
      try await queue.join()
      let batch = try await queue.take(8)
      #expect(batch.texts == (0..<8).map { "e\($0)" })
      #expect(try await stage.stored().isOnly(delayed: ["l1", "l2"], dead: ["l0"], inflight: 8))
    }
  }
}
