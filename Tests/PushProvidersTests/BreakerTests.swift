import Testing

@testable import PushProviders

@Suite struct BreakerTests {
  private static let second = Breaker.second
  private var breaker = Breaker(.init(openAfter: 5, longestPause: 15 * second))

  private mutating func fail(
    _ fault: Breaker.Fault = .server, at now: Double, count: Int = 1, wish: Double = 0
  ) {
    breaker.failed(
      fault, breaker.epoch, count: count, now: Int64(now * 1e9), jitter: 0,
      wish: Int64(wish * 1e9))
  }

  private mutating func openByAuth(at now: Double = 0) { fail(.auth, at: now) }

  private mutating func probe(at now: Double) -> Bool {
    breaker.tick(Int64(now * 1e9))
    return begins(0, of: 1)
  }

  private mutating func begins(_ member: Int, running: Int = 0, of members: Int) -> Bool {
    breaker.begins(member, running: running, among: members)
  }

  private var isOpen: Bool {
    if case .open = breaker.phase { true } else { false }
  }

  @Test(arguments: [Breaker.Fault.connect, .tls, .proxy, .token])
  mutating func `the fifth failure in a row to reach the provider opens`(fault: Breaker.Fault) {
    for _ in 0..<4 { fail(fault, at: 0) }
    #expect(breaker.phase == .closed)
    fail(fault, at: 0)
    #expect(breaker.phase == .open(until: Self.second))
    #expect(breaker.allowance(of: 0, among: 1) == 0)
    let goes = begins(0, of: 1)
    #expect(!goes)
  }

  @Test mutating func `a failed connect counts for all who wait for it`() {
    fail(.connect, at: 0, count: 7)
    #expect(isOpen)
  }

  @Test mutating func `a refused credential opens at once`() {
    openByAuth()
    #expect(isOpen)
  }

  @Test mutating func `server errors on all open, a few among successes never do`() {
    // Every third of many fails, and rows of five are common among them.
    for second in 0..<200 {
      for _ in 0..<8 { fail(at: Double(second) / 100) }
      breaker.succeeded(breaker.epoch)
    }
    #expect(breaker.phase == .closed)
    for step in 0..<5 { fail(at: 10 + Double(step)) }
    #expect(isOpen)
  }

  @Test mutating func `a flood of server errors opens before half a second is over`() {
    for _ in 0..<49 { fail(at: 0) }
    #expect(!isOpen)
    fail(at: 0)
    #expect(isOpen)
  }

  @Test mutating func `connections lost together count once`() {
    for _ in 0..<200 { fail(.lost, at: 0) }
    #expect(!isOpen)
    for second in 1..<5 { fail(.lost, at: Double(second)) }
    #expect(isOpen)
  }

  @Test mutating func `the pauses grow to the longest and never beyond`() {
    openByAuth()
    var pauses: [Int64] = []
    var now = 0.0
    for _ in 0..<8 {
      pauses.append(breaker.pause / Self.second)
      now += 100
      let goes = probe(at: now)
      #expect(goes)
      fail(at: now)
    }
    #expect(pauses == [1, 2, 4, 8, 15, 15, 15, 15])
  }

  @Test mutating func `jitter shortens a pause by a quarter at most`() {
    breaker.failed(.auth, 0, now: 0, jitter: 1)
    #expect(breaker.pause == 750_000_000)
  }

  @Test mutating func `a server's wish is obeyed, up to two minutes`() {
    openByAuth()
    _ = probe(at: 10)
    fail(at: 10, wish: 60)
    #expect(breaker.pause == 60 * Self.second)
    _ = probe(at: 100)
    fail(at: 100, wish: 86_400)
    #expect(breaker.pause == 120 * Self.second)
  }

  @Test mutating func `one member alone probes, and only after the pause`() {
    openByAuth()
    breaker.tick(Self.second - 1)
    var refused = !begins(0, of: 3)
    #expect(refused)
    breaker.tick(Self.second)
    for member in 0..<3 { #expect(breaker.allowance(of: member, among: 3) == 1) }
    var goes = begins(1, of: 3)
    #expect(goes)
    refused = !begins(1, running: 1, of: 3)
    #expect(refused)
    refused = !begins(2, of: 3)
    #expect(refused)
    #expect(breaker.allowance(of: 0, among: 3) == 0)
    breaker.probeWasGivenUp(by: 1)
    goes = begins(2, of: 3)
    #expect(goes)
  }

  @Test mutating func `a probe that told nothing waits again`() {
    openByAuth()
    _ = probe(at: 1)
    breaker.probeWasVain(breaker.epoch, now: Self.second, jitter: 0)
    #expect(breaker.phase == .open(until: 3 * Self.second))
  }

  @Test mutating func `a slow start doubles with each round of successes`() {
    openByAuth()
    let goes = probe(at: 1)
    #expect(goes)
    breaker.succeeded(breaker.epoch)
    var limits: [Int] = []
    while case .slowStart(let limit, _) = breaker.phase {
      limits.append(limit)
      #expect(breaker.allowance(of: 0, among: 2) == max(1, limit / 2))
      let goes = begins(0, running: max(1, limit / 2), of: 2)
      #expect(!goes)
      for _ in 0..<limit { breaker.succeeded(breaker.epoch) }
    }
    #expect(limits == [2, 4, 8, 16, 32, 64, 128])
    #expect(breaker.phase == .closed && breaker.isCalm)
    #expect(breaker.allowance(of: 0, among: 2) == nil)
    // The pauses begin anew.
    openByAuth(at: 1_000)
    #expect(breaker.pause == Self.second)
  }

  @Test mutating func `two faults in a row end a slow start, one does not`() {
    openByAuth()
    _ = probe(at: 1)
    breaker.succeeded(breaker.epoch)
    fail(at: 1)
    breaker.succeeded(breaker.epoch)
    fail(at: 1)
    #expect(!isOpen)
    fail(at: 1)
    #expect(isOpen && breaker.pause == 2 * Self.second)
  }

  @Test mutating func `what was sent before an opening says nothing after it`() {
    let old = breaker.epoch
    openByAuth()
    breaker.failed(.auth, old, now: Self.second, jitter: 0)
    breaker.succeeded(old)
    #expect(breaker.phase == .open(until: Self.second))
    _ = probe(at: 1)
    breaker.succeeded(old)
    breaker.failed(.server, old, now: Self.second, jitter: 0)
    #expect(breaker.phase == .halfOpen(prober: 0))
  }
}
