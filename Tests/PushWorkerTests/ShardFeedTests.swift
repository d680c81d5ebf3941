import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

@Suite struct ShardFeedTests {
  @Test func `calls overtake a full list of bulk, and bulk goes on meanwhile`() async throws {
    var options = Harness.Options()
    options.workers = 2
    options.weights = [8, 1]
    try await Harness.run(
      options,
      Harness.Script { _, _ in
        // Slower than the list of calls is fetched.
        try? await Task.sleep(for: .milliseconds(3))
        return Harness.accepted
      }
    ) { it in
      for event in 0..<400 { it.push("bulk\(event)", [Harness.token(event)], to: 1) }
      #expect(await eventually(on: it.loop) { it.sent.precedences.count > 50 })
      for event in 0..<40 { it.push("call\(event)", [Harness.token(1_000 + event)]) }
      #expect(await it.drained())
      let order = it.sent.precedences
      #expect(order.count == 440)
      let first = try #require(order.firstIndex(of: 0))
      let last = try #require(order.lastIndex(of: 0))
      let between = order[first...last].count { $0 == 1 }
      // One of bulk for eight calls, and what went while calls were fetched; by turns it were 40.
      #expect((2...14).contains(between), "\(between) of bulk among 40 calls")
      #expect(last < 400)
    }
  }

  @Test func `each list is taken from, paused and settled by itself`() async throws {
    var options = Harness.Options()
    options.weights = [1, 1, 1]
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      it.stores[1].set("paused", "1")
      #expect(
        await eventually(on: it.loop) {
          await it.shard.snapshot().feeds.map(\.isPaused) == [false, true, false]
        })
      for event in 0..<30 { it.push("e\(event)", [Harness.token(event)], to: event % 3) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 20 })
      #expect(it.stores[1].ready.count == 10)
      it.stores[1].set("paused", nil)
      #expect(await it.drained())
      #expect(it.sent.all.count == 30 && it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `a list whose Redis does not answer keeps no other from being served`() async throws {
    var options = Harness.Options()
    options.weights = [4, 1]
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      it.queues.value[0].fault = { _ in .before }
      for event in 0..<20 { it.push("e\(event)", [Harness.token(event)], to: 1) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 20 })
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().trouble != nil })
      it.queues.value[0].fault = { _ in nil }
    }
  }

  @Test func `what was under way when the lease was lost is settled, and sent once`() async throws {
    let gate = Doors()
    var options = Harness.Options()
    options.workers = 4
    options.queue.lease = .milliseconds(900)
    options.queue.margin = .milliseconds(300)
    try await Harness.run(options, Harness.Script { _, _ in await gate.pass() }) { it in
      it.push("wide", (0..<20).map(Harness.token))
      it.push("next", [Harness.token(100)])
      #expect(await eventually(on: it.loop) { gate.inside == 3 })
      // Nobody renews the lease until it is over.
      it.queues.value[0].fault = { "\($0)" == "beat" ? .before : nil }
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().leaseLeft == 0 })
      try await it.loop.sleep(.milliseconds(600))
      it.queues.value[0].fault = { _ in nil }
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().leaseLeft > 0 })
      gate.open()
      #expect(await it.drained())
      #expect(it.sent.all.count == 21)
      #expect(it.sent.all.values.allSatisfy { $0 == 1 }, "\(it.sent.all)")
    }
  }
}
