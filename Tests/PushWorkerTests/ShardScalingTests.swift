import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

/// Counts how many pushes are in progress, and lets them go on when told.
private final class Gate: Sendable {
  private struct State {
    var inside = 0
    var most = 0
    var isOpen = false
  }
  private let state = Guarded(State())

  func pass() async -> SendOutcome {
    state.withLock {
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
    while !state.withLock({ $0.isOpen }) { await Task.yield() }
    state.withLock { $0.inside -= 1 }
    return Harness.accepted
  }

  func open() { state.withLock { $0.isOpen = true } }
  var inside: Int { state.withLock { $0.inside } }
  var most: Int { state.withLock { $0.most } }
}

@Suite struct ShardScalingTests {
  @Test func `as many pushes are in progress as there are workers, also after scaling`()
    async throws
  {
    let gate = Gate()
    try await Harness.run(workers: 4, Harness.Script { _, _ in await gate.pass() }) { it in
      for event in 0..<60 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { gate.inside == 3 })
      // Two credentials: one alone may hold three quarters.
      await it.shard.scale(to: 8)
      #expect(await eventually(on: it.loop) { gate.inside == 6 })
      await it.shard.scale(to: 1)
      gate.open()
      #expect(await it.drained())
      #expect(gate.most <= 8)
      #expect(it.sent.all.count == 60)
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().lanes == 1 })
    }
  }

  @Test func `a stop lets pushes in progress finish`() async throws {
    let gate = Gate()
    try await Harness.run(workers: 4, Harness.Script { _, _ in await gate.pass() }) { it in
      for event in 0..<20 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { gate.inside > 0 })
      let stopping = Task(executorPreference: it.loop) { await it.shard.stop(grace: .seconds(20)) }
      gate.open()
      await stopping.value
      // What was taken is done, what was not is in the list, and nothing is in between.
      #expect(it.store.inflight == 0)
      #expect(it.sent.all.count + it.store.ready.count == 20)
    }
  }

  @Test func `what does not finish within the grace is handed back`() async throws {
    let gate = Gate()
    try await Harness.run(workers: 2, Harness.Script { _, _ in await gate.pass() }) { it in
      for event in 0..<5 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { gate.inside > 0 })
      let stopping = Task(executorPreference: it.loop) {
        await it.shard.stop(grace: .milliseconds(50))
      }
      try await it.loop.sleep(.milliseconds(100))
      gate.open()
      await stopping.value
      #expect(it.store.inflight == 0)
      #expect(it.store.ready.count + it.sent.all.count == 5)
    }
  }
}
