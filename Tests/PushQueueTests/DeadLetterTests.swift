import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// Operators at the list of dead letters, in a real Redis.
@Suite(.redis) struct DeadLetterTests {
  private func onRedis(
    _ body: @escaping @Sendable (RedisStage, QueueInspector) async throws -> Void
  ) async throws {
    let url = try redis().url
    try await onLoop { loop in
      let stage = try RedisStage(loop, url)
      try await body(stage, try QueueInspector(stage.name, stage.admin))
    }
  }

  /// Letters as a worker leaves them.
  private func bury(
    _ letters: [String], _ reason: DeadReason = .rejected, on stage: RedisStage,
    by queue: any JobQueue
  ) async throws {
    for letter in letters {
      try await stage.push("x")
      let item = try await queue.take(1).items[0]
      _ = try await queue.settle([
        Settlement(item.receipt, [.deadLetter(reason, Array(letter.utf8))])
      ])
    }
  }

  /// LLEN = dead - retried - purged - dropped - taken by others.
  private func equationHolds(_ inspector: QueueInspector) async throws -> Bool {
    let stats = try await inspector.stats()
    func sum(_ start: String) -> Int {
      stats.counters.filter { $0.key.hasPrefix(start) }.values.reduce(0, +)
    }
    let gone =
      sum(QueueCounter.retried) + sum(QueueCounter.deadPurged) + sum(QueueCounter.deadDropped)
    let known = sum(QueueCounter.dead) - gone - sum(QueueCounter.deadTaken)
    return stats.dead == known && stats.counters[QueueCounter.deadLength, default: 0] == known
  }

  @Test func `the equation of dead letters holds whatever touches the list`() async throws {
    try await onRedis { stage, inspector in
      var settings = QueueSettings.unhurried
      settings.deadMax = 40
      settings.whenDeadFull = .dropOldest
      let queue = try await stage.worker("a", settings)
      var random = SeededRandom.fresh()
      var number = 0
      for _ in 0..<150 {
        let letters = try await inspector.deadLetters(from: 0, count: 100)
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3:
          number += 1
          let reason = DeadReason.allCases.randomElement(using: &random) ?? .rejected
          try await bury(["letter \(number)"], reason, on: stage, by: queue)
        case 3:
          let some = letters.filter { _ in Bool.random(using: &random) }.prefix(3)
          let retries = some.map {
            DeadRetry(letter: $0, reason: "rejected", id: "i", replays: 1, event: [65])
          }
          #expect(try await inspector.retryDead(retries) == retries.count)
          while !(try await queue.take(9).items.isEmpty) {}
        case 4:
          let some = letters.suffix(2)
          #expect(try await inspector.purgeDead(Array(some) + [[1, 2]]) == some.count)
        default: try await stage.popDead()
        }
        // Pops of others are noticed by the next script.
        _ = try await inspector.purgeDead([[0]])
        guard try await equationHolds(inspector) else {
          Issue.record("seed \(random.seed): \(try await inspector.stats())")
          return
        }
      }
      let rest = try await inspector.deadLetters(from: 0, count: 100)
      let bytes = rest.reduce(0) { $0 + $1.count }
      let known = try await inspector.stats().counters[QueueCounter.deadBytes, default: 0]
      #expect(abs(known - bytes) <= 2 * rest.count, "letters are of nearly one length")
    }
  }

  @Test func `old letters are dropped and counted`() async throws {
    try await onRedis { stage, inspector in
      let queue = try await stage.worker("a", .unhurried)
      let now = try await stage.serverTime()
      let old = now - 15 * 86_400_000
      let letters = (Int64(0)..<250).map { #"{"v":1,"id":"o\#($0)","deadAt":\#(old + $0),"e":{}}"# }
      let young = [#"{"id":"\"deadAt\":1","deadAt":\#(now - 86_400_000)}"#, #"{"deadAt":1}"#]
      try await bury(letters + young, on: stage, by: queue)
      #expect(try await queue.recover() == 0)
      #expect(try await stage.stored().dead == young, "the last is behind a younger one")
      let stats = try await inspector.stats()
      #expect(stats.counters[QueueCounter.deadDropped] == 250)
      #expect(try await equationHolds(inspector))
      #expect(try await inspector.purgeDead(before: now) == 2)
      #expect(try await inspector.stats().counters[QueueCounter.deadPurged] == 2)
    }
  }

  @Test func `letters by reason are those that are there, whatever became of the others`()
    async throws
  {
    try await onRedis { stage, inspector in
      var settings = QueueSettings()
      settings.deadMax = 3
      settings.whenDeadFull = .dropOldest
      let queue = try await stage.worker("a", settings)
      for reason in [DeadReason.rejected, .rejected, .expired, .expired, .poison] {
        let letter = #"{"id":"\"reason\":\"poison\"","reason":"\#(reason.rawValue)"}"#
        try await bury([letter], reason, on: stage, by: queue)
      }
      #expect(try await inspector.stats().deadByReason == [.expired: 2, .poison: 1])
      let first = try await inspector.deadLetters(from: 0, count: 1)
      #expect(try await inspector.purgeDead(first) == 1)
      #expect(try await inspector.stats().deadByReason == [.expired: 1, .poison: 1])
    }
  }

  @Test func `a walk misses no letter while others pop and add`() async throws {
    try await onRedis { stage, inspector in
      let queue = try await stage.worker()
      try await bury((0..<60).map { "l\($0)" }, on: stage, by: queue)
      var cursor = DeadCursor()
      var seen: [String] = []
      var popped = 0
      while true {
        let page = try await inspector.deadLetters(after: &cursor, count: 7)
        if page.isEmpty { break }
        seen += page.map { String(decoding: $0, as: UTF8.self) }
        try await stage.popDead()
        popped += 1
        try await bury(["new \(popped)"], on: stage, by: queue)
        if popped % 3 == 0 { #expect(try await inspector.purgeDead(page.suffix(1)) == 1) }
      }
      #expect(seen == (0..<60).map { "l\($0)" }, "each once, in order, and nothing new")
      #expect(popped == 9)
    }
  }

  @Test func `a walk starts behind what was popped before`() async throws {
    try await onRedis { stage, inspector in
      let queue = try await stage.worker()
      try await bury(["l0", "l1", "l2"], on: stage, by: queue)
      try await stage.popDead()
      var cursor = DeadCursor()
      #expect(try await inspector.deadLetters(after: &cursor, count: 1) == [Array("l1".utf8)])
      try await stage.popDead()
      try await stage.popDead()
      try await bury(["l3"], on: stage, by: queue)
      #expect(try await inspector.deadLetters(after: &cursor, count: 9).isEmpty)
      var empty = DeadCursor()
      try await stage.popDead()
      #expect(try await inspector.deadLetters(after: &empty, count: 9).isEmpty)
    }
  }

  @Test func `letters are sent again at a rate`() async throws {
    try await onRedis { stage, inspector in
      let queue = try await stage.worker()
      let letters = (0..<12).map { "l\($0)" }
      try await bury(letters, on: stage, by: queue)
      let retries = letters.map {
        DeadRetry(
          letter: Array($0.utf8), reason: "rejected", id: $0, replays: 2, event: Array($0.utf8))
      }
      let begin = ContinuousClock.now
      #expect(try await inspector.retryDead(retries, perSecond: 40) == 12)
      #expect(begin.duration(to: .now) >= .milliseconds(195), "four at a time, 0.1 s apart")
      let items = try await queue.take(20).items
      #expect(items.map(\.text) == letters)
      #expect(items.allSatisfy { $0.header.replays == 2 })
    }
  }
}
