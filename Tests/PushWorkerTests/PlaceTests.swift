import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

/// What happens to a push between its lane and its place on a connection.
@Suite struct PlaceTests {
  /// Lets `count` pushes wait for a place, has `change` happen, and gives them their places.
  private func whileWaiting(
    _ options: Harness.Options = Harness.Options(), count: Int = 8, extra: String = "",
    _ change: @escaping @Sendable (Harness) async throws -> Void,
    _ then: @escaping @Sendable (Harness) async throws -> Void
  ) async throws {
    var options = options
    // A credential has three quarters of the lanes.
    options.workers = count * 2
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      let apns = it.provider(.apns)
      apns.isFull = true
      for event in 0..<count { it.push("e\(event)", [Harness.token(event)], extra: extra) }
      #expect(await eventually(on: it.loop) { apns.waiting.count == count })
      try await change(it)
      apns.isFull = false
      try await then(it)
    }
  }

  @Test func `what is over when its place comes is filed, and not sent`() async throws {
    let end = SystemClock().wall() / 1_000 + 2
    try await whileWaiting(extra: "\"expiresAt\":\(end),") { it in
      #expect(await eventually(on: it.loop) { SystemClock().wall() >= end * 1_000 })
    } _: { it in
      #expect(await it.drained())
      #expect(it.sent.all.isEmpty)
      #expect(it.letters.count == 8 && it.letters.allSatisfy { $0.contains("expired") })
      #expect(await it.shard.snapshot().busy == 0)
    }
  }

  @Test func `what waits when its app is paused is parked, and goes out afterwards`() async throws {
    try await whileWaiting { it in
      it.store.set("paused:chat", "1")
      // The pause is known once something else is parked for it.
      it.push("later", [Harness.token(100)])
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 1 })
    } _: { it in
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 9 })
      #expect(it.sent.all.isEmpty)
      it.store.set("paused:chat", nil)
      #expect(await it.drained())
      #expect(it.sent.all.count == 9 && it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `nothing is built past the lease's deadline, and all goes on when it is renewed`()
    async throws
  {
    var options = Harness.Options()
    options.queue.lease = .milliseconds(900)
    options.queue.margin = .milliseconds(300)
    try await whileWaiting(options) { it in
      it.queues.value[0].fault = { _ in .before }
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().leaseLeft == 0 })
      it.provider(.apns).isFull = false
      #expect(it.provider(.apns).waiting.isEmpty && it.sent.all.isEmpty)
      #expect(await it.shard.snapshot().busy == 8)
      it.queues.value[0].fault = { _ in nil }
    } _: { it in
      #expect(await it.drained())
      #expect(it.sent.all.count == 8 && it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `what a provider has no room for waits here, where calls overtake it`() async throws {
    var options = Harness.Options()
    options.workers = 32
    options.weights = [8, 1]
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      let apns = it.provider(.apns)
      (apns.isFull, apns.depth) = (true, 3)
      for event in 0..<20 { it.push("bulk\(event)", [Harness.token(event)], to: 1) }
      #expect(await eventually(on: it.loop) { apns.waiting.count == 3 })
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().waiting == 17 })
      it.push("call", [Harness.token(100)])
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().waiting == 18 })
      #expect(apns.waiting.count == 3)
      apns.isFull = false
      #expect(await it.drained())
      #expect(it.sent.all.count == 21 && it.sent.all.values.allSatisfy { $0 == 1 })
      #expect(it.sent.precedences.firstIndex(of: 0) == 3)
    }
  }

  @Test func `where the rate is limited little is taken ahead`() async throws {
    var options = Harness.Options()
    options.workers = 200
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      let apns = it.provider(.apns)
      apns.isFull = true
      for provider in it.providers.value { provider.depth = 20 }
      for event in 0..<1_000 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { apns.waiting.count == 20 })
      #expect(await eventually(on: it.loop) { await it.shard.snapshot().waiting > 0 })
      // Nobody says that there is room: what is held now is all that is taken.
      let snapshot = await it.shard.snapshot()
      #expect(snapshot.busy == 20 && snapshot.open <= 20 + 40 + 64, "\(snapshot)")
      #expect(it.store.ready.count >= 876)
      for provider in it.providers.value { provider.depth = .max }
      apns.isFull = false
      #expect(await it.drained())
      #expect(it.sent.all.count == 1_000)
    }
  }

  @Test func `where little is taken ahead, one that hangs keeps no other from being taken`()
    async throws
  {
    let doors = Doors()
    var options = Harness.Options()
    options.workers = 256
    let script = Harness.Script { request, _ in
      request.deviceToken.isEmpty ? Harness.accepted : await doors.pass()
    }
    try await Harness.run(options, script) { it in
      for provider in it.providers.value { provider.depth = 16 }
      for event in 0..<400 { it.push("apple\(event)", [Harness.token(event)]) }
      // One credential has three quarters of the lanes.
      #expect(await eventually(on: it.loop) { doors.inside == 192 })
      for event in 0..<50 { it.push("google\(event)", devices: [Harness.android(event)]) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 192 + 50 })
      doors.open()
      #expect(await it.drained())
      #expect(it.sent.all.count == 450 && it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }

  @Test func `what leaves at once takes up no room`() async throws {
    var options = Harness.Options()
    options.workers = 400
    try await Harness.run(options, Harness.Script { _, _ in Harness.accepted }) { it in
      let apns = it.provider(.apns)
      apns.depth = 16
      it.push("wide", (0..<200).map(Harness.token))
      #expect(await it.drained())
      // All began before the first had ended.
      #expect(apns.mostUnderWay == 200)
    }
  }
}
