import PushModel
import Testing

@testable import PushProviders

/// The action's name in the protocol's tables.
func action(_ verdict: Verdict) -> String {
  switch verdict {
  case .accepted: "accepted"
  case .invalidToken: "invalid-token"
  case .retry: "retry"
  case .refreshAuth: "refresh-auth"
  case .pauseCredential: "pause-credential"
  case .deadLetter: "dead-letter"
  }
}

@Suite struct APNsVerdictTests {
  static let rules = Fixtures.rules("apns-reasons.json", code: "reason", status: "status")
  static let samples = Fixtures.samples("apns")

  @Test func `the tables are there`() {
    #expect(Self.rules.count >= 50)
    #expect(Self.samples.count >= 11)
  }

  @Test(arguments: rules)
  func `every reason of the table has its action`(rule: Fixtures.Rule) {
    let reason = rule.code == "*" ? "SomethingNew" : rule.code
    #expect(action(APNsVerdicts.judge(status: rule.status, reason: reason)) == rule.action)
    if rule.code == "*" {
      #expect(action(APNsVerdicts.judge(status: rule.status, reason: "")) == rule.action)
    }
  }

  @Test(arguments: samples)
  func `every sample answer is read to its action`(sample: Fixtures.Sample) {
    let (answer, verdict) = APNsAnswer.read(status: sample.status, body: sample.body, wall: 0)
    #expect(action(verdict) == sample.expect)
    #expect(answer.status == sample.status)
  }

  @Test(arguments: [
    "", "<html>bad gateway</html>", "{", "null", "[]", #"{"reason":7}"#, #"{"reason":null}"#,
    #"{"reason":["BadDeviceToken"]}"#, "\u{0}",
  ])
  func `a body that says nothing leaves it to the status`(body: String) {
    func judged(_ status: Int) -> Verdict {
      APNsAnswer.read(status: status, body: bytes(body), wall: 0).1
    }
    #expect(judged(400) == .deadLetter(.rejected))
    #expect(judged(403) == .pauseCredential(.credential))
    #expect(judged(410) == .invalidToken(.init(guarded: false)))
    #expect(judged(413) == .deadLetter(.payloadTooLarge))
    #expect(judged(429) == .retry(.throttled))
    #expect(judged(500) == .retry(.server))
    #expect(judged(502) == .retry(.server))
    #expect(judged(418) == .deadLetter(.rejected))
    #expect(judged(302) == .pauseCredential(.credential))
  }

  @Test func `only doubtful tokens are guarded`() {
    #expect(
      APNsVerdicts.judge(status: 400, reason: "BadDeviceToken")
        == .invalidToken(.init(guarded: true)))
    #expect(
      APNsVerdicts.judge(status: 410, reason: "ExpiredToken")
        == .invalidToken(.init(guarded: false)))
    #expect(
      APNsVerdicts.judge(status: 400, reason: "DeviceTokenNotForTopic") == .deadLetter(.rejected))
  }

  @Test func `the time of a 410 is read in milliseconds, and seconds are seen as such`() {
    func time(_ value: String) -> Verdict {
      APNsAnswer.read(
        status: 410, body: bytes(#"{"reason":"Unregistered","timestamp":\#(value)}"#), wall: 0
      ).1
    }
    func dead(_ at: Int64?) -> Verdict { .invalidToken(.init(guarded: false, unregisteredAt: at)) }
    #expect(time("1732950000123") == dead(1_732_950_000_123))
    #expect(time("1732950000") == dead(1_732_950_000_000))
    #expect(time("\"1732950000123\"") == dead(nil))
    #expect(time("1.5") == dead(nil))
    #expect(time("99999999999999999999999") == dead(nil))
  }

  @Test func `topics pause alone, and what needs another connection says so`() {
    #expect(APNsVerdicts.judge(status: 400, reason: "BadTopic") == .pauseCredential(.topic))
    #expect(APNsVerdicts.judge(status: 400, reason: "IdleTimeout") == .retry(.newConnection))
    #expect(
      APNsVerdicts.judge(status: 403, reason: "UnrelatedKeyIdInToken") == .retry(.newConnection))
    #expect(
      APNsVerdicts.judge(status: 429, reason: "TooManyProviderTokenUpdates")
        == .retry(.tokenUpdates))
  }

  @Test func `only published reasons may name a metric`() {
    func isKnown(_ reason: String) -> Bool {
      APNsAnswer.read(status: 400, body: bytes(#"{"reason":"\#(reason)"}"#), wall: 0).0
        .isKnownReason
    }
    for rule in Self.rules where rule.code != "*" { #expect(isKnown(rule.code)) }
    #expect(!isKnown("SomethingNew") && !isKnown(""))
    for rule in FCMVerdictTests.rules where rule.api == "send" && rule.status > 0 {
      #expect(rule.code == "*" || KnownReasons.fcm.contains(rule.code))
    }
    for rule in FCMVerdictTests.rules where rule.api == "oauth2" {
      #expect(rule.code == "*" || KnownReasons.oauth.contains(rule.code))
    }
  }

  @Test func `what a stranger answers does not fill the log`() {
    let long = String(repeating: "x", count: 10_000)
    let (answer, _) = APNsAnswer.read(
      status: 400, body: bytes(#"{"reason":"\#(long)"}"#), wall: 0)
    #expect(answer.reason.count == 64)
  }

  @Test func `the wait that is asked for and the sandbox's id are kept`() {
    let (answer, _) = APNsAnswer.read(
      status: 429, body: bytes(#"{"reason":"TooManyRequests"}"#), retryAfter: bytes("3"), wall: 0)
    #expect(answer.retryAfter == .seconds(3))
    let (sent, _) = APNsAnswer.read(status: 200, body: [], uniqueID: bytes("u-1"), wall: 0)
    #expect(sent.messageName == "u-1")
  }
}
