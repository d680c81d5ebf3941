import TestSupport
import Testing

@testable import HTTP2

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

@Suite struct StreamSlotsTests {
  @Test func `one stream until SETTINGS, then as many as both sides allow`() {
    var slots = StreamSlots(cap: 100, firstRequestAlone: false)
    #expect(slots.limit == 1)
    slots.peerAllows(.max)
    #expect(slots.limit == 100)
    slots.peerAllows(7)
    #expect(slots.limit == 7)
    slots.peerAllows(0)
    #expect(slots.free == 0)
  }

  @Test func `fewer streams than are open means none free, not less than none`() {
    var slots = StreamSlots(cap: 100, firstRequestAlone: false)
    slots.peerAllows(10)
    for _ in 0..<10 { slots.opened() }
    slots.peerAllows(4)
    #expect(slots.free == 0)
    for _ in 0..<7 { slots.closed() }
    #expect(slots.free == 1)
  }

  @Test func `only an accepted answer ends being alone`() {
    var slots = StreamSlots(cap: 100, firstRequestAlone: true)
    slots.peerAllows(1_000)
    #expect(slots.limit == 1)
    slots.answered(accepted: false)
    #expect(slots.limit == 1)
    slots.answered(accepted: true)
    #expect(slots.limit == 100)
  }

  @Test func `a peer that refuses gets no more at once than it has, and more again by answers`() {
    var slots = StreamSlots(cap: 100, firstRequestAlone: false)
    slots.peerAllows(1_000)
    for _ in 0..<5 { slots.opened() }
    slots.closed()
    slots.refused()
    #expect(slots.limit == 4)
    slots.answered(accepted: true)
    slots.answered(accepted: true)
    #expect(slots.limit == 16)
    slots.peerAllows(1_000)
    #expect(slots.limit == 100)
  }

  @Test func `a draining or used-up connection starts nothing`() {
    var slots = StreamSlots(cap: 10, firstRequestAlone: false, lifetime: 1)
    slots.peerAllows(10)
    slots.opened()
    #expect(slots.isUsedUp && slots.free == 0)
    var draining = StreamSlots(cap: 10, firstRequestAlone: false)
    draining.peerAllows(10)
    draining.drain()
    draining.answered(accepted: true)
    #expect(draining.free == 0)
  }
}

@Suite struct LivenessTests {
  private let limits = Liveness.Limits(
    idle: 60 * second, silence: 5 * second, answer: 5 * second)

  @Test func `an idle connection is asked after its time, and any byte is an answer`() {
    var life = Liveness(limits, at: 0)
    #expect(life.check(at: 59 * second) == .none)
    #expect(life.check(at: 60 * second) == .ping)
    #expect(life.check(at: 64 * second) == .none)
    life.heard(at: 64 * second, openRequests: 0)
    #expect(life.check(at: 70 * second) == .none)
    #expect(life.nextCheck == 124 * second)
  }

  @Test func `a request without any byte is asked about soon, counted from its start`() {
    var life = Liveness(limits, at: 0)
    life.requestStarted(at: 50 * second)
    #expect(life.check(at: 54 * second) == .none)
    #expect(life.check(at: 55 * second) == .ping)
    #expect(life.check(at: 59 * second) == .none)
    #expect(life.check(at: 60 * second) == .dead)
  }

  @Test func `requests that are given up sooner than that keep the silence, and a byte ends it`() {
    var life = Liveness(Liveness.Limits(idle: nil, silence: 5 * second, answer: second), at: 0)
    // Each is given up after three seconds; nobody tells.
    life.requestStarted(at: 0)
    life.requestStarted(at: 4 * second)
    #expect(life.check(at: 5 * second) == .ping)
    life.heard(at: 5 * second, openRequests: 0)
    #expect(life.nextCheck == nil)
  }

  @Test func `answers to other requests show that the peer lives`() {
    var life = Liveness(limits, at: 0)
    life.requestStarted(at: 0)
    for moment in 1...20 {
      life.heard(at: Int64(moment) * 3 * second, openRequests: 1)
      #expect(life.check(at: Int64(moment) * 3 * second + 2 * second) == .none)
    }
  }

  @Test func `without idle pings an idle connection is never asked`() {
    let life = Liveness(Liveness.Limits(idle: nil, silence: second, answer: second), at: 0)
    #expect(life.nextCheck == nil)
  }
}

@Suite struct GrowthPlanTests {
  private func view(
    open: Int = 0, connecting: Int = 0, waiting: Int = 0, since: Int64 = 0, active: Bool = true
  ) -> GrowthPlan.View {
    GrowthPlan.View(
      open: open, connecting: connecting, waiting: waiting, waitingSince: since, isActive: active)
  }

  @Test func `the first request opens as many as are kept, and rest opens none`() {
    var plan = GrowthPlan(least: 2, most: 10)
    #expect(plan.connectionsToOpen(at: 0, view(active: false)) == 0)
    #expect(plan.connectionsToOpen(at: 0, view(waiting: 1)) == 2)
    #expect(plan.connectionsToOpen(at: 0, view(connecting: 2, waiting: 1)) == 0)
  }

  @Test func `a wait of 20 ms opens more, at most doubling each 100 ms, up to the most`() {
    var plan = GrowthPlan(least: 1, most: 10)
    #expect(plan.connectionsToOpen(at: 19 * millisecond, view(open: 1, waiting: 500)) == 0)
    #expect(plan.connectionsToOpen(at: 20 * millisecond, view(open: 1, waiting: 500)) == 1)
    #expect(plan.connectionsToOpen(at: 30 * millisecond, view(open: 2, waiting: 500)) == 0)
    #expect(plan.nextLook(view(open: 2, waiting: 500)) == 120 * millisecond)
    #expect(plan.connectionsToOpen(at: 120 * millisecond, view(open: 2, waiting: 500)) == 2)
    #expect(plan.connectionsToOpen(at: 220 * millisecond, view(open: 8, waiting: 500)) == 2)
    #expect(plan.connectionsToOpen(at: 320 * millisecond, view(open: 10, waiting: 500)) == 0)
  }

  @Test func `no more are opened than requests wait`() {
    var plan = GrowthPlan(least: 1, most: 100)
    #expect(plan.connectionsToOpen(at: second, view(open: 50, waiting: 3)) == 3)
  }

  @Test func `while connects fail there is one at a time, at growing pauses up to 15 s`() {
    var plan = GrowthPlan(least: 4, most: 10)
    var now: Int64 = 0
    var pauses: [Int64] = []
    for _ in 0..<7 {
      plan.failed(at: now, jitter: 0)
      #expect(plan.connectionsToOpen(at: now, view(waiting: 9)) == 0)
      let next = plan.nextLook(view(waiting: 9)) ?? 0
      pauses.append((next - now) / second)
      #expect(plan.connectionsToOpen(at: next, view(waiting: 9)) == 1)
      #expect(plan.connectionsToOpen(at: next, view(connecting: 1, waiting: 9)) == 0)
      now = next
    }
    #expect(pauses == [1, 2, 4, 8, 15, 15, 15])
    plan.succeeded()
    #expect(plan.connectionsToOpen(at: now, view(waiting: 9)) == 4)
  }

  @Test func `connections that fail together count once`() {
    var plan = GrowthPlan(least: 4, most: 10)
    for _ in 0..<4 { plan.failed(at: second, jitter: 0) }
    #expect(plan.failures == 1)
    #expect(plan.nextLook(view(waiting: 1)) == 2 * second)
  }
}

@Suite struct RetirementWatchTests {
  @Test func `what was too much for a whole minute goes`() {
    var watch = RetirementWatch(least: 1, rate: 100, streams: 100)
    let quiet = RetirementWatch.Use(open: 8, starts: 900, mostStreams: 3)
    for _ in 0..<5 { #expect(watch.intervalEnded(quiet) == 0) }
    // 900 starts in ten seconds need two connections at half their rate.
    #expect(watch.intervalEnded(quiet) == 6)
    #expect(watch.intervalEnded(quiet) == 0)
  }

  @Test func `one busy interval begins the minute anew`() {
    var watch = RetirementWatch(least: 1, rate: 100, streams: 100)
    let quiet = RetirementWatch.Use(open: 4)
    for _ in 0..<5 { #expect(watch.intervalEnded(quiet) == 0) }
    #expect(watch.intervalEnded(RetirementWatch.Use(open: 4, hadWaiting: true)) == 0)
    for _ in 0..<5 { #expect(watch.intervalEnded(quiet) == 0) }
    #expect(watch.intervalEnded(quiet) == 3)
  }
}

@Suite struct RingTests {
  @Test func `a ring gives back in order what was put in, also at its front, and grows`() {
    var ring = Ring<Int>()
    var model: [Int] = []
    var random = SeededRandom(seed: 11)
    for step in 0..<5_000 {
      switch Int.random(in: 0..<5, using: &random) {
      case 0, 1:
        ring.append(step)
        model.append(step)
      case 2:
        ring.prepend(step)
        model.insert(step, at: 0)
      default:
        #expect(ring.popFirst() == (model.isEmpty ? nil : model.removeFirst()))
      }
      #expect(ring.count == model.count && ring.first == model.first)
    }
  }
}

@Suite struct HeaderBlockTests {
  private func text(_ block: HeaderBlock) -> [String] {
    block.pairs.map { $0.name + "=" + $0.value }
  }

  @Test func `fields of all kinds stand in order`() {
    var block = HeaderBlock()
    block.append(":method", "POST")
    block.append(":path", joining: "/3/device/", Array("aa".utf8), .secret)
    block.append("apns-topic", Array("com.example".utf8))
    block.append(Array("x-own".utf8), Array("1".utf8))
    for number: Int64 in [0, 7, 1_700_000_000, -5, .min] {
      block.append("apns-expiration", decimal: number)
    }
    #expect(
      text(block) == [
        ":method=POST", ":path=/3/device/aa", "apns-topic=com.example", "x-own=1",
        "apns-expiration=0", "apns-expiration=7", "apns-expiration=1700000000",
        "apns-expiration=-5", "apns-expiration=-9223372036854775808",
      ])
    #expect(block.fields.map(\.indexing) == [.full, .secret] + Array(repeating: .full, count: 7))
  }

  @Test func `a block cut back to a mark keeps what stood before it`() {
    var block = HeaderBlock()
    block.append(":method", "POST")
    let mark = block.mark
    for path in ["/a", "/bbb"] {
      block.cut(back: mark)
      block.append(":path", Array(path.utf8))
    }
    #expect(text(block) == [":method=POST", ":path=/bbb"])
    block.removeAll()
    #expect(block.count == 0)
  }
}
