import LoopIO
import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises about leases and taking, for both conformers.
@Suite(.redis) struct TakeConformanceTests {
  @Test(arguments: QueueKind.allCases) func `without a lease nothing is taken`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      try await stage.push("one")
      let queue = try stage.instance("a", QueueSettings())
      let error = await #expect(throws: QueueError.self) { try await queue.take(10) }
      #expect(error?.code == .fenced)
      #expect(try await stage.stored().isOnly(ready: ["one"]))
    }
  }

  @Test(arguments: QueueKind.allCases) func `fresh items come in order with a header of their own`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("{\"a\":1}", "", "~nothing of ours;\n", "é\u{0}\n")
      let batch = try await queue.take(10)
      #expect(batch.texts == ["{\"a\":1}", "", "~nothing of ours;\n", "é\u{0}\n"])
      #expect(Set(batch.items.map(\.header.id)).count == 4)
      #expect(Set(batch.receipts).count == 4)
      for item in batch.items {
        #expect(item.header.attempt == 0 && item.header.crashes == 0 && item.header.replays == 0)
        #expect(item.header.done.isEmpty)
        // Of the server's clock as the instance knows it.
        #expect(abs(item.header.firstTaken - batch.serverTime) < 5_000)
      }
      let distance = try await stage.serverTime() - batch.serverTime
      #expect((0..<5_000).contains(distance))
      let stored = try await stage.stored()
      #expect(stored.isOnly(inflight: 4))
      #expect(stored.counters[QueueCounter.taken] == 4)
    }
  }

  @Test(arguments: QueueKind.allCases) func `no more is taken than was asked for`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 7)
      #expect(try await queue.take(3).texts == ["e0", "e1", "e2"])
      #expect(try await queue.take(0).items.isEmpty)
      #expect(try await queue.take(10).texts == ["e3", "e4", "e5", "e6"])
      #expect(try await queue.take(10).items.isEmpty)
    }
  }

  @Test(arguments: QueueKind.allCases)
  func `a batch ends at its bytes and a large item comes alone`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      var settings = QueueSettings()
      settings.takeBytes = 1_000
      let queue = try await stage.worker("a", settings)
      let large = String(repeating: "x", count: 5_000)
      try await stage.push("small", large, "next")
      #expect(try await queue.take(10).texts == ["small"])
      #expect(try await queue.take(10).texts == [large])
      #expect(try await queue.take(10).texts == ["next"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `retries come when due and are a quarter of a batch`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 8)
      for item in try await queue.take(8).items {
        _ = try await queue.settle([
          Settlement(item.receipt, [try await stage.again(item, after: .seconds(8))])
        ])
      }
      try await stage.push(count: 20)
      let early = try await queue.take(4)
      #expect(early.items.allSatisfy { $0.header.attempt == 0 })
      let due = try #require(early.nextDue)
      #expect(due > .zero && due <= .seconds(8))

      try await stage.pass(.seconds(9))
      let mixed = try await queue.take(8)
      #expect(mixed.items.count == 8)
      #expect(mixed.items.count { $0.header.attempt == 1 } == 2)
      let rest = try await queue.take(100)
      #expect(rest.items.count == 16)
      #expect(
        rest.items.count { $0.header.attempt == 1 } == 6, "all of them when fresh ones are few")
      #expect(rest.nextDue == nil)
    }
  }

  @Test(arguments: QueueKind.allCases) func `a lease that is over fences its owner`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      try await stage.pass(.seconds(11))
      _ = try await queue.beat(InstanceStatus())
      try await stage.pass(.seconds(13))
      let taking = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(taking?.code == .fenced)
      #expect(queue.startDeadline == .min)
      let beating = await #expect(throws: QueueError.self) {
        try await queue.beat(InstanceStatus())
      }
      #expect(beating?.code == .fenced)
      try await queue.join()
      #expect(try await queue.take(1).texts == ["one"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `no send may start in the last quarter of a lease`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      let joined = stage.clock.monotonic()
      #expect(queue.startDeadline == joined + 9_000_000_000)
      try await stage.pass(.seconds(3))
      _ = try await queue.beat(InstanceStatus())
      #expect(queue.startDeadline == joined + 12_000_000_000)
    }
  }

  @Test(arguments: QueueKind.allCases) func `instances count each other`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let first = try await stage.worker("a")
      let second = try await stage.worker("b")
      #expect(try await first.beat(InstanceStatus()).instances == 2)
      try await second.release()
      #expect(try await first.take(1).news.instances == 1)
    }
  }

  @Test(arguments: QueueKind.allCases) func `wishes of an operator arrive with beat and take`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      #expect(try await queue.beat(InstanceStatus()) == FleetNews())
      try await stage.set(ControlField.workers, "64")
      try await stage.set(ControlField.paused(app: "chat"), "1")
      try await stage.set(ControlField.paused, "1")
      let news = try await queue.beat(InstanceStatus())
      #expect(news.wantedWorkers == 64 && news.isPaused && news.pausedApps == ["chat"])
      #expect(try await queue.take(1).items.isEmpty, "paused")
      try await stage.set(ControlField.workers(of: "a"), "8")
      try await stage.set(ControlField.paused, nil)
      let batch = try await queue.take(1)
      #expect(batch.texts == ["one"])
      #expect(batch.news.wantedWorkers == 8, "the wish for the instance is over that for all")
      #expect(!batch.news.isPaused)
    }
  }

  @Test(arguments: QueueKind.allCases) func `waiting ends with work, the limit or a cancellation`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      let begin = ContinuousClock.now
      await queue.waitForWork(upTo: .milliseconds(50))
      #expect(begin.duration(to: .now) >= .milliseconds(45))

      let waiter = UncheckedBox(queue)
      let loop = stage.loop
      let waiting = Task(executorPreference: loop) {
        await waiter.value.waitForWork(upTo: .seconds(60))
      }
      try await loop.sleep(.milliseconds(20))
      try await stage.push("one", "two")
      await waiting.value
      #expect(try await stage.stored().isOnly(ready: ["one", "two"]), "nothing was stolen")
      await queue.waitForWork(upTo: .seconds(60))  // at once: work is there
      _ = try await queue.take(2)

      let cancelled = Task(executorPreference: loop) {
        await waiter.value.waitForWork(upTo: .seconds(60))
      }
      try await loop.sleep(.milliseconds(20))
      cancelled.cancel()
      await cancelled.value
      #expect(begin.duration(to: .now) < .seconds(20))
    }
  }
}
