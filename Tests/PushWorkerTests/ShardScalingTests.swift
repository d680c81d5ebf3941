import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

@Suite struct ShardScalingTests {
  @Test func `as many pushes are in progress as there are workers, also after scaling`()
    async throws
  {
    let gate = Doors()
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
    let gate = Doors()
    try await Harness.run(workers: 4, Harness.Script { _, _ in await gate.pass() }) { it in
      for event in 0..<20 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { gate.inside > 0 })
      let stopping = Task(executorPreference: it.loop) { await it.shard.stop(grace: .seconds(20)) }
      gate.open()
      await stopping.value
      // What was taken is done, what was not is in a list, and nothing is in between.
      #expect(it.store.inflight == 0)
      #expect(it.sent.all.count + it.store.ready.count + it.parked(.apns).count == 20)
    }
  }

  @Test func `what does not finish within the grace is handed back`() async throws {
    let gate = Doors()
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
      #expect(it.store.ready.count + it.parked(.apns).count + it.sent.all.count == 5)
    }
  }
}
