import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises when workers die or answers get lost, for both conformers.
@Suite(.redis) struct CrashConformanceTests {
  /// Takes as an instance that then dies, and lets `other` recover.
  private static func crash(
    _ name: String, taking want: Int, on stage: any QueueStage, recoveredBy other: any JobQueue
  ) async throws -> [QueueItem] {
    let dying = try await stage.worker(name)
    let items = try await dying.take(want).items
    try await stage.pass(.seconds(13))
    try await other.join()
    _ = try await other.recover()
    return items
  }

  @Test(arguments: QueueKind.allCases) func `an item that crashed two instances is taken alone`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let survivor = try await stage.worker("z")
      try await stage.push("deadly")
      for round in 0..<2 {
        let items = try await Self.crash("c\(round)", taking: 1, on: stage, recoveredBy: survivor)
        #expect(items.map(\.header.crashes) == [round])
      }
      #expect(try await stage.stored().isOnly(suspects: ["deadly"]))

      try await stage.push("good", "fine")
      for round in 2..<ItemHeader.poisonCrashes {
        let items = try await Self.crash("c\(round)", taking: 10, on: stage, recoveredBy: survivor)
        #expect(items.map(\.text) == ["deadly"], "alone")
        #expect(items.map(\.header.crashes) == [round])
      }
      let last = try await survivor.take(10)
      #expect(last.items.map(\.header.crashes) == [ItemHeader.poisonCrashes])
      #expect(try await survivor.take(10).items.isEmpty, "nothing else while a suspect is held")
      _ = try await survivor.settle([
        Settlement(last.receipts[0], [.deadLetter(.poison, Array("deadly".utf8))])
      ])
      #expect(try await survivor.take(10).texts == ["good", "fine"])
      #expect(try await stage.stored().isOnly(dead: ["deadly"], inflight: 2))
    }
  }

  @Test(arguments: QueueKind.allCases) func `one instance drains to test a suspect, others go on`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let second = try await stage.worker("z")
      try await stage.push("deadly")
      for round in 0..<2 {
        _ = try await Self.crash("c\(round)", taking: 1, on: stage, recoveredBy: second)
      }
      #expect(try await stage.stored().suspects == ["deadly"])
      let suspect = try await second.take(1).items[0]
      let first = try await stage.worker("y")
      try await stage.push(count: 5)
      let busy = try await first.take(1).items
      #expect(busy.map(\.text) == ["e0"], "the test of the suspect is the other's")

      try await second.putBack([suspect.receipt])
      try await second.release()
      #expect(try await stage.stored().suspects == ["deadly"])
      #expect(try await first.take(2).items.isEmpty, "it must drain first")
      let third = try await stage.worker("x")
      #expect(try await third.take(2).texts == ["e1", "e2"], "which does not stop the others")
      _ = try await first.settle(busy.map { Settlement($0.receipt) })
      let alone = try await first.take(2)
      #expect(alone.texts == ["deadly"])
      #expect(alone.items[0].header.crashes == 2, "given back is no crash")
      _ = try await first.settle([Settlement(alone.receipts[0])])
      #expect(try await first.take(5).texts == ["e3", "e4"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `items whose answer was lost are adopted`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      _ = try await queue.take(100)
      try await stage.push("one", "two", "three")
      try await stage.takeAndLoseAnswer(queue, TakeOrder(2))
      #expect(try await stage.stored().inflight == 2)
      let mine = try await queue.take(1).items
      #expect(mine.map(\.text) == ["three"])
      let adopted = try await queue.reconcile()
      #expect(adopted.map(\.text) == ["one", "two"])
      #expect(try await queue.reconcile().isEmpty, "only once")
      let all = (adopted + mine).map { Settlement($0.receipt) }
      #expect(try await queue.settle(all) == [true, true, true])
      #expect(try await stage.stored().isOnly())
    }
  }

  @Test(arguments: QueueKind.allCases) func `what a fail-over brings back is settled again`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      let items = try await queue.take(2).items
      _ = try await queue.settle([
        Settlement(items[0].receipt),
        Settlement(items[1].receipt, [.deadLetter(.rejected, Array("letter".utf8))]),
      ])
      for item in items { try await stage.bringBack(item, to: "a") }
      #expect(try await queue.reconcile().isEmpty)
      let stored = try await stage.stored()
      #expect(stored.inflight == 0)
      #expect(stored.dead == ["letter", "letter"], "repeated, not lost")
    }
  }

  @Test(arguments: QueueKind.allCases) func `reconcile touches nothing that is known`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      let items = try await queue.take(2).items
      #expect(try await queue.progress(ItemProgress(items[0].receipt, done: TargetSet(all: 1))))
      #expect(try await queue.reconcile().isEmpty)
      #expect(try await queue.settle(items.map { Settlement($0.receipt) }) == [true, true])
    }
  }
}
