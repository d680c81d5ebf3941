import PushModel
import PushTelemetry
import Testing

@testable import PushWorker

@Suite struct MassInvalidationTests {
  private static let second: Int64 = 1_000_000_000
  private var brake = MassInvalidation()

  private mutating func answers(_ bad: Int, of all: Int) {
    for number in 0..<all {
      if number < bad { brake.suspected() } else { brake.trusted(1) }
    }
  }

  @Test mutating func `more than a fifth trips, once fifty have come`() {
    for _ in 0..<49 { brake.suspected() }
    #expect(!brake.isTripped)
    brake.suspected()
    #expect(brake.isTripped)
  }

  @Test mutating func `a fifth exactly does not`() {
    brake.trusted(160)
    for _ in 0..<40 { brake.suspected() }
    #expect(!brake.isTripped)
    brake.suspected()
    #expect(brake.isTripped)
  }

  @Test mutating func `only the last two hundred count`() {
    answers(8, of: 49)
    brake.trusted(192)
    // Seven of the eight have left the window.
    for _ in 0..<32 { brake.suspected() }
    #expect(!brake.isTripped)
  }

  @Test mutating func `the answers that trip it are held too`() {
    brake.suspected()
    let first = brake.ticket(now: 0)
    #expect(brake.fate(first, now: 0) == .wait)
    for _ in 0..<49 { brake.suspected() }
    #expect(brake.fate(first, now: 0) == .hold)
    let last = brake.ticket(now: 0)
    #expect(brake.fate(last, now: 0) == .hold)
  }

  @Test mutating func `fifty further answers, or ten seconds, and it is believed`() {
    brake.suspected()
    let ticket = brake.ticket(now: 0)
    brake.trusted(49)
    #expect(brake.fate(ticket, now: 10 * Self.second - 1) == .wait)
    #expect(brake.fate(ticket, now: 10 * Self.second) == .feedBack)
    brake.trusted(1)
    #expect(brake.fate(ticket, now: 0) == .feedBack)
  }

  @Test mutating func `it releases after fifty answers under a twentieth, and forgets`() {
    for _ in 0..<50 { brake.suspected() }
    brake.suspected()
    brake.suspected()
    brake.suspected()
    brake.trusted(47)
    // Three of fifty are 6 %.
    #expect(brake.isTripped)
    brake.trusted(1)
    #expect(!brake.isTripped)
    brake.suspected()
    #expect(!brake.isTripped)
    let ticket = brake.ticket(now: 0)
    #expect(brake.fate(ticket, now: 0) == .wait)
  }
}

@Suite struct InvalidationBrakeTests {
  private let metrics = WorkerMetrics()
  private let key = CredentialKey(app: "chat", provider: .apns)
  private let brake: InvalidationBrake

  init() { brake = InvalidationBrake(key, metrics, Logger(level: .error)) }

  private var gauge: Double { metrics.pushes(app: "chat", provider: .apns).brake.value }

  private func refuse(_ count: Int, _ reason: String, _ verdict: Verdict) {
    for _ in 0..<count {
      _ = brake.answered(Answer(status: 400, reason: reason), verdict, now: 0)
    }
  }

  @Test func `tokens of the wrong topic count, though they condemn nobody`() {
    refuse(50, "DeviceTokenNotForTopic", .deadLetter(.rejected))
    #expect(gauge == 1)
    for _ in 0..<50 { brake.accepted() }
    #expect(gauge == 0)
  }

  @Test func `what APNs unregistered is above suspicion`() {
    refuse(100, "Unregistered", .invalidToken(.init(guarded: false)))
    refuse(100, "PayloadEmpty", .deadLetter(.rejected))
    #expect(gauge == 0)
  }

  @Test func `shards of a process share a brake`() {
    let brakes = InvalidationBrakes()
    let log = Logger(level: .error)
    #expect(brakes.brake(of: key, metrics, log) === brakes.brake(of: key, metrics, log))
  }
}
