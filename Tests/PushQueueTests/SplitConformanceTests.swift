import LoopIO
import PushModel
import PushWorker
import SharedState
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises about chunks of large events, for both conformers.
@Suite(.redis) struct SplitConformanceTests {
  private func step(
    _ item: QueueItem, _ names: [String], done: Int, isLast: Bool = false
  ) -> SplitStep {
    let chunks = names.map { name in
      SplitStep.Chunk(
        ItemHeader(id: .written(name), firstTaken: item.header.firstTaken), Array(name.utf8))
    }
    return SplitStep(item.receipt, chunks, done: TargetSet(all: done), isLast: isLast)
  }

  @Test(arguments: QueueKind.allCases) func `an event ends as chunks that any instance takes`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      let other = try await stage.worker("b")
      try await stage.push("large", "next")
      let item = try await queue.take(1).items[0]
      #expect(try await queue.split(step(item, ["c0", "c1"], done: 2)))
      #expect(try await stage.stored().isOnly(ready: ["next"], chunks: ["c0", "c1"], inflight: 1))
      #expect(try await queue.split(step(item, ["c2"], done: 3, isLast: true)))
      #expect(try await stage.stored().isOnly(ready: ["next"], chunks: ["c0", "c1", "c2"]))
      let batch = try await other.take(10)
      #expect(batch.texts == ["c0", "c1", "c2", "next"])
      #expect(batch.items[1].header.id == "c1" && batch.items[1].header.done.isEmpty)
      #expect(batch.items[1].header.firstTaken == item.header.firstTaken)
      #expect(try await queue.settle([Settlement(item.receipt)]) == [false], "it has ended")
      #expect(try await queue.reconcile().isEmpty)
    }
  }

  @Test(arguments: QueueKind.allCases) func `chunks are half of a batch while fresh events wait`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("large")
      let item = try await queue.take(1).items[0]
      try await stage.push(count: 7)
      let names = (0..<9).map { "c\($0)" }
      #expect(try await queue.split(step(item, names, done: 9, isLast: true)))
      #expect(try await queue.take(4).texts == ["c0", "c1", "e0", "e1"])
      #expect(try await queue.take(3).texts == ["c2", "c3", "e2"])
      #expect(
        try await queue.take(9).texts == ["c4", "c5", "c6", "c7", "c8"] + ["e3", "e4", "e5", "e6"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `a crash between two steps loses and repeats nothing`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let dying = try await stage.worker("a")
      try await stage.push("large", "next")
      let item = try await dying.take(1).items[0]
      #expect(try await dying.split(step(item, ["c0", "c1"], done: 2)))
      try await stage.pass(.seconds(13))
      let other = try await stage.worker("b")
      #expect(try await other.recover() == 1)
      let again = try await other.take(4).items
      #expect(again.map(\.text) == ["c0", "c1", "large", "next"])
      #expect(again[2].header.done == TargetSet(all: 2))
      #expect(again[2].header.crashes == 0, "it made progress")
      #expect(try await dying.split(step(item, ["c2"], done: 3)) == false, "not ours any more")
      #expect(try await dying.split(step(item, ["c2"], done: 3, isLast: true)) == false)
      #expect(try await stage.stored().isOnly(inflight: 4))
    }
  }

  @Test(arguments: QueueKind.allCases) func `a step whose answer was lost is not done again`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("large", "next")
      let item = try await queue.take(1).items[0]
      for _ in 0..<2 { #expect(try await queue.split(step(item, ["c0"], done: 1))) }
      #expect(try await stage.stored().chunks == ["c0"])
      #expect(try await queue.split(step(item, ["c1"], done: 2, isLast: true)))
      #expect(try await queue.split(step(item, ["c1"], done: 2, isLast: true)) == false)
      #expect(try await stage.stored().isOnly(ready: ["next"], chunks: ["c0", "c1"]))
    }
  }

  @Test(arguments: QueueKind.allCases) func `a split event that was put back keeps its marks`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("large", "next")
      let item = try await queue.take(1).items[0]
      #expect(try await queue.split(step(item, ["c0"], done: 1)))
      try await queue.putBack([item.receipt])
      let order = try await queue.take(2)
      #expect(order.texts == ["c0", "large"])
      #expect(order.items[1].header.done == TargetSet(all: 1))
      try await queue.release()
      #expect(try await stage.stored().isOnly(ready: ["c0", "large", "next"]), "chunks like all")
    }
  }

  @Test(arguments: QueueKind.allCases) func `chunks wake an instance that waits at an empty list`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      let idle = UncheckedBox(try await stage.worker("b"))
      try await stage.push("large")
      let item = try await queue.take(1).items[0]
      #expect(try await idle.value.take(5).items.isEmpty)
      let begin = ContinuousClock.now
      let waiting = Task(executorPreference: stage.loop) {
        await idle.value.waitForWork(upTo: .seconds(60))
      }
      try await stage.loop.sleep(.milliseconds(20))
      #expect(try await queue.split(step(item, ["c0", "c1", "c2"], done: 3, isLast: true)))
      await waiting.value
      #expect(begin.duration(to: .now) < .seconds(20))
      #expect(Set(try await idle.value.take(5).texts) == ["c0", "c1", "c2"])
    }
  }
}
