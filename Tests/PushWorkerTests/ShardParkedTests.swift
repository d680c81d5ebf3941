import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

@Suite struct ShardParkedTests {
  private static let accepting = Harness.Script { _, _ in Harness.accepted }

  private func isOnce(_ it: ShardHarness, _ count: Int) -> Bool {
    it.sent.all.count == count && it.sent.all.values.allSatisfy { $0 == 1 }
  }

  @Test func `a paused app's pushes are parked, and each is sent once after it`() async throws {
    try await Harness.run(Self.accepting) { it in
      it.store.set("paused:chat", "1")
      for event in 0..<300 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 300 })
      #expect(it.sent.all.isEmpty && it.store.inflight == 0)
      it.store.set("paused:chat", nil)
      #expect(await it.drained())
      #expect(isOnce(it, 300))
    }
  }

  @Test func `only the blocked part of an event leaves`() async throws {
    try await Harness.run(Self.accepting) { it in
      it.provider(.fcm).gate = .shut
      it.push(
        "e", devices: [Harness.android(1), Harness.iphone(Harness.token(1)), Harness.android(2)])
      #expect(await eventually(on: it.loop) { it.parked(.fcm).count == 1 })
      #expect(it.sent.all == [Harness.token(1): 1])
      it.provider(.fcm).gate = .open
      #expect(await it.drained())
      #expect(isOnce(it, 3))
    }
  }

  @Test func `what waits for lanes leaves when the gate shuts`() async throws {
    let doors = Doors()
    try await Harness.run(workers: 4, Harness.Script { _, _ in await doors.pass() }) { it in
      for event in 0..<10 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { doors.inside == 3 && it.store.ready.isEmpty })
      it.provider(.apns).gate = .shut
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 7 })
      doors.open()
      it.provider(.apns).gate = .open
      #expect(await it.drained())
      #expect(isOnce(it, 10))
    }
  }

  @Test func `an item's end waits for what the item left before, however slow Redis is`()
    async throws
  {
    let doors = Doors()
    let script = Harness.Script { request, _ in
      request.provider == .apns ? await doors.pass() : Harness.accepted
    }
    try await Harness.run(script) { it in
      let isSlow = Guarded(true)
      let tries = Guarded(0)
      it.queues.value[0].fault = { call in
        guard "\(call)" == "progress", isSlow.withLock({ $0 }) else { return nil }
        tries.withLock { $0 += 1 }
        return .before
      }
      // A step of the one is not taken by Redis...
      it.push("one", devices: (0..<100).map(Harness.android))
      it.push("other", (0..<200).map(Harness.token))
      #expect(
        await eventually(on: it.loop) { doors.inside == 6 && tries.withLock { $0 } > 0 })
      // ...while the other leaves in parts, and ends.
      it.provider(.apns).gate = .shut
      doors.open()
      #expect(await eventually(on: it.loop) { it.sent.all.count == 106 })
      isSlow.withLock { $0 = false }
      #expect(await eventually(on: it.loop) { it.store.inflight == 0 })
      it.provider(.apns).gate = .open
      #expect(await it.drained())
      #expect(isOnce(it, 300))
    }
  }

  @Test func `a push that fails as the gate shuts waits unspent`() async throws {
    let gates = Guarded<[@Sendable () -> Void]>([])
    let script = Harness.Script { _, times in
      if times == 1 {
        for shut in gates.withLock({ $0 }) { shut() }
        return Harness.refused(503, "ServiceUnavailable", .retry(.server))
      }
      return Harness.accepted
    }
    try await Harness.run(script) { it in
      gates.withLock { $0 = [{ it.provider(.apns).gate = .shut }] }
      it.push("e", [Harness.token(1)])
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 1 })
      #expect(it.store.delayed.isEmpty)
      it.provider(.apns).gate = .limited(1)
      #expect(await it.drained())
      #expect(it.sent.all == [Harness.token(1): 2] && it.letters.isEmpty)
    }
  }

  @Test func `a limited gate lets so many go at once, and draws no more`() async throws {
    let doors = Doors()
    try await Harness.run(Harness.Script { _, _ in await doors.pass() }) { it in
      it.provider(.apns).gate = .shut
      for event in 0..<40 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 40 })
      it.provider(.apns).gate = .limited(2)
      #expect(await eventually(on: it.loop) { doors.inside == 2 })
      #expect(it.parked(.apns).count == 38)
      doors.open()
      #expect(await it.drained())
      #expect(doors.most == 2)
      #expect(isOnce(it, 40))
    }
  }

  @Test func `what expires while it is parked is filed when it is drawn`() async throws {
    try await Harness.run(Self.accepting) { it in
      let now = SystemClock().wall() / 1_000
      it.provider(.apns).gate = .shut
      it.push("e", [Harness.token(1)], extra: "\"sentAt\":\(now),\"ttl\":4,")
      #expect(await eventually(on: it.loop) { it.parked(.apns).count == 1 })
      #expect(await eventually(on: it.loop) { SystemClock().wall() / 1_000 > now + 4 })
      it.provider(.apns).gate = .open
      #expect(await it.drained())
      #expect(it.sent.all.isEmpty && it.letters.count == 1)
    }
  }

  @Test func `parked time counts for no limit of attempts`() async throws {
    let script = Harness.Script { _, times in
      times == 1
        ? Harness.refused(503, "ServiceUnavailable", .retry(.server)) : Harness.accepted
    }
    try await Harness.run(script) { it in
      // First taken two hours ago; all but a minute of it was spent in a parked list.
      let (now, hour) = (SystemClock().wall(), Int64(3_600_000))
      let parkedAt = now - 2 * hour + 60_000
      let event =
        "{\"type\":\"message\",\"message\":{\"id\":1,\"text\":\"hi\"},"
        + "\"devices\":[\(Harness.iphone(Harness.token(1)))]}"
      it.store.push(
        Array("~1;id=x;a=0;c=0;t0=\(now - 2 * hour);r=0;p=-\(parkedAt);done=0\n\(event)".utf8))
      #expect(await it.drained())
      #expect(it.sent.all == [Harness.token(1): 2] && it.letters.isEmpty)
    }
  }

  @Test func `a credential that hangs keeps no other from being served`() async throws {
    let doors = Doors()
    try await Harness.run(
      Harness.Script { request, _ in
        request.provider == .fcm ? await doors.pass() : Harness.accepted
      }
    ) { it in
      for event in 0..<300 { it.push("f\(event)", devices: [Harness.android(event)]) }
      for event in 0..<50 { it.push("a\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 56 })
      #expect(doors.inside == 6)
      #expect(it.parked(.fcm).count > 250)
      doors.open()
      #expect(await it.drained())
      #expect(isOnce(it, 350))
    }
  }

  @Test func `one that answered before it hangs keeps no other waiting for seconds`()
    async throws
  {
    let doors = Doors()
    let hangs = Guarded(false)
    try await Harness.run(
      Harness.Script { request, _ in
        request.provider == .fcm && hangs.withLock { $0 } ? await doors.pass() : Harness.accepted
      }
    ) { it in
      for event in 0..<50 { it.push("f\(event)", devices: [Harness.android(event)]) }
      #expect(await it.drained())
      hangs.withLock { $0 = true }
      let began = ContinuousClock.now
      for event in 50..<350 { it.push("f\(event)", devices: [Harness.android(event)]) }
      for event in 0..<50 { it.push("a\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 106 })
      // Two seconds without room is how long one that is only slow is waited for.
      #expect(ContinuousClock.now - began < .seconds(2))
      doors.open()
      #expect(await it.drained())
      #expect(isOnce(it, 400))
    }
  }

  @Test func `requests of a hang that run out get it no more lanes`() async throws {
    let (first, second) = (Doors(), Doors())
    let hangs = Guarded(false)
    try await Harness.run(
      Harness.Script { request, _ in
        guard request.provider == .fcm, hangs.withLock({ $0 }) else { return Harness.accepted }
        if first.isOpen { return await second.pass() }
        return await first.pass(.unknown(SendTrouble(.timeout)))
      }
    ) { it in
      for event in 0..<50 { it.push("f\(event)", devices: [Harness.android(event)]) }
      #expect(await it.drained())
      hangs.withLock { $0 = true }
      for event in 50..<350 { it.push("f\(event)", devices: [Harness.android(event)]) }
      for event in 0..<50 { it.push("a\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 106 })
      first.open()
      // Long enough for it to be looked at several times.
      let began = ContinuousClock.now
      var event = 50
      while ContinuousClock.now - began < .milliseconds(400) {
        it.push("a\(event)", [Harness.token(event)])
        #expect(await eventually(on: it.loop) { it.sent.all[Harness.token(event)] == 1 })
        event += 1
      }
      #expect(first.most == 6 && second.most <= 2)
      second.open()
      #expect(await it.drained())
    }
  }
}
