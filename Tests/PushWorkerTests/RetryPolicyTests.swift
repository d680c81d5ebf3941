import PushModel
import PushSettings
import PushWorker
import Testing

/// Always the lowest or the highest number.
private struct Edge: RandomNumberGenerator {
  var value: UInt64
  mutating func next() -> UInt64 { value }
  static let low = Edge(value: 0)
  static let high = Edge(value: .max)
}

private let policy = RetryPolicy(Settings().retry)

private func decide(
  _ verdict: Verdict, _ random: Edge = .low, retryAfter: Duration? = nil,
  _ change: (inout Attempt) -> Void = { _ in }
) -> Decision {
  decide(.answered(Answer(status: 0, retryAfter: retryAfter), verdict), random, change)
}

private func decide(
  _ outcome: SendOutcome, _ random: Edge = .low, _ change: (inout Attempt) -> Void = { _ in }
) -> Decision {
  var attempt = Attempt()
  attempt.firstTaken = 1_764_489_600_000
  attempt.now = attempt.firstTaken
  attempt.expiresAt = attempt.now / 1_000 + 86_400
  change(&attempt)
  var random = random
  return policy.decide(outcome, attempt, random: &random)
}

private func pause(_ decision: Decision) -> Double? {
  guard case .again(let after, _, _) = decision else { return nil }
  let (seconds, attoseconds) = after.components
  return Double(seconds) + Double(attoseconds) / 1e18
}

private func near(_ value: Double?, _ expected: Double) -> Bool {
  value.map { abs($0 - expected) < 0.01 } ?? false
}

@Suite struct RetryPolicyTests {
  @Test(arguments: [(0, 10.0, 15.0), (1, 10, 30), (2, 20, 60), (5, 160, 480), (7, 300, 900)])
  func `FCM's 5xx follow the published curve`(n: Int, low: Double, high: Double) {
    let set: (inout Attempt) -> Void = {
      $0.provider = .fcm
      $0.spent = n
    }
    #expect(near(pause(decide(.retry(.server), .low, set)), low))
    #expect(near(pause(decide(.retry(.server), .high, set)), high))
  }

  @Test(arguments: [(0, 60.0, 90.0), (1, 60, 180), (2, 120, 360), (4, 450, 1_350)])
  func `FCM's 429 starts at a minute`(n: Int, low: Double, high: Double) {
    let set: (inout Attempt) -> Void = {
      $0.provider = .fcm
      $0.spent = n
    }
    #expect(near(pause(decide(.retry(.throttled), .low, set)), low))
    #expect(near(pause(decide(.retry(.throttled), .high, set)), high))
  }

  @Test func `APNs' 5xx have three quick tries and then the curve`() {
    for n in 0..<3 {
      #expect(near(pause(decide(.retry(.server), .low) { $0.spent = n }), 1))
      #expect(near(pause(decide(.retry(.server), .high) { $0.spent = n }), 5))
    }
    #expect(near(pause(decide(.retry(.server), .low) { $0.spent = 3 }), 7.5))
    #expect(near(pause(decide(.retry(.server), .high) { $0.spent = 4 }), 45))
    #expect(near(pause(decide(.retry(.server), .high) { $0.spent = 12 }), 1_350))
  }

  @Test func `Retry-After raises a pause and never shortens it`() {
    #expect(near(pause(decide(.retry(.server), retryAfter: .seconds(30))), 30))
    #expect(near(pause(decide(.retry(.server), .high, retryAfter: .seconds(2))), 5))
  }

  @Test func `nothing is planned past the message's end`() {
    let soon: (inout Attempt) -> Void = { $0.expiresAt = $0.now / 1_000 + 1 }
    #expect(decide(.retry(.server), .high, soon) == .expired)
    #expect(decide(.unknown(SendTrouble(.timeout)), .high, soon) == .expired)
    #expect(decide(.neverSent(SendTrouble(.noConnection)), .high, soon) == .expired)
  }

  @Test func `an hour of attempts is the end`() {
    let old: (inout Attempt) -> Void = { $0.now = $0.firstTaken + 3_600_000 }
    #expect(decide(.retry(.server), .low, old) == .dead(.attemptsExhausted))
  }

  @Test func `an outage spends no attempt and no time`() {
    let old: (inout Attempt) -> Void = { $0.now = $0.firstTaken + 7_200_000 }
    let trouble = SendOutcome.neverSent(SendTrouble(.noConnection))
    guard case .again(_, spent: false, because: .connection) = decide(trouble, .low, old) else {
      Issue.record("\(decide(trouble, .low, old))")
      return
    }
    #expect(near(pause(decide(trouble, .high) { $0.unreachable = 20 }), 90))
  }

  @Test func `a paused credential spends no attempt`() {
    guard case .again(_, spent: false, because: .paused) = decide(.pauseCredential(.credential))
    else {
      Issue.record("spent")
      return
    }
  }

  @Test func `a message of one attempt is not tried twice`() {
    let one: (inout Attempt) -> Void = { $0.isOneShot = true }
    #expect(decide(.retry(.server), .low, one) == .dead(.attemptsExhausted))
    #expect(decide(.unknown(SendTrouble(.reset)), .low, one) == .dead(.attemptsExhausted))
  }

  @Test func `a token registered after its death is tried once more, then rejected`() {
    let verdict = Verdict.invalidToken(.init(guarded: false, unregisteredAt: 1_732_950_000_123))
    #expect(decide(verdict) { $0.registeredAt = 1_732_950_000_122 } == Decision(verdict))
    #expect(decide(verdict) == Decision(verdict))
    for again in [1_732_950_000_123, 1_732_950_000_124] as [Int64] {
      #expect(near(pause(decide(verdict) { $0.registeredAt = again }), 5))
      #expect(
        decide(verdict) {
          $0.registeredAt = again
          $0.spent = 1
        } == .dead(.rejected))
    }
  }
}

extension Decision {
  fileprivate init(_ verdict: Verdict) {
    guard case .invalidToken(let token) = verdict else { fatalError("not a token's verdict") }
    self = .invalidToken(token)
  }
}
