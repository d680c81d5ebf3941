import PushModel
import Testing

@testable import PushProviders

@Suite struct FCMVerdictTests {
  static let rules = Fixtures.rules("fcm-errors.json", code: "errorCode", status: "httpStatus")
  static let samples = Fixtures.samples("fcm")

  private static func fault(_ code: String, message: String = "") -> FCMFault {
    var fault = FCMFault()
    fault.isJSON = true
    fault.code = code
    fault.message = message
    return fault
  }

  @Test func `the tables are there`() {
    #expect(Self.rules.count >= 25)
    #expect(Self.samples.count >= 20)
  }

  @Test(arguments: rules.filter { $0.api == "send" && $0.status > 0 })
  func `every code of the table has its action`(rule: Fixtures.Rule) {
    let fault = Self.fault(rule.code == "*" ? "" : rule.code)
    #expect(action(FCMVerdicts.judge(status: rule.status, fault: fault)) == rule.action)
    if rule.code == "*" {
      let new = Self.fault("SOMETHING_NEW")
      #expect(action(FCMVerdicts.judge(status: rule.status, fault: new)) == rule.action)
    }
  }

  @Test(arguments: rules.filter { $0.api == "oauth2" })
  func `every answer of the token endpoint has its action`(rule: Fixtures.Rule) {
    let expected: OAuthVerdicts.Verdict = rule.action == "retry" ? .retry : .pauseCredential
    #expect(OAuthVerdicts.judge(status: rule.status) == expected)
  }

  @Test(arguments: samples)
  func `every sample answer is read to its action`(sample: Fixtures.Sample) {
    if sample.isOAuth {
      #expect(OAuthVerdicts.judge(status: sample.status) == .pauseCredential)
      #expect(OAuthBody(sample.body).error == "invalid_grant")
      return
    }
    let (answer, verdict) = FCMAnswer.read(
      status: sample.status, body: sample.body, retryAfter: sample.retryAfter, wall: 0)
    #expect(action(verdict) == sample.expect)
    if let wait = sample.retryAfter, let seconds = Int(text(wait)) {
      #expect(answer.retryAfter == .seconds(seconds))
    }
  }

  @Test func `no information is decided by the status and never condemns`() {
    let fault = Self.fault("UNSPECIFIED_ERROR")
    #expect(FCMVerdicts.judge(status: 500, fault: fault) == .retry(.server))
    #expect(FCMVerdicts.judge(status: 429, fault: fault) == .retry(.throttled))
    #expect(FCMVerdicts.judge(status: 404, fault: fault) == .deadLetter(.rejected))
  }

  @Test func `an HTML page of a front end is tried again, JSON without a code is our setting`() {
    let html = bytes("<!DOCTYPE html><title>Error 404 (Not Found)</title>")
    #expect(FCMAnswer.read(status: 404, body: html, wall: 0).1 == .retry(.server))
    #expect(FCMAnswer.read(status: 404, body: [], wall: 0).1 == .retry(.server))
    #expect(FCMAnswer.read(status: 502, body: html, wall: 0).1 == .retry(.server))
    let json = bytes(#"{"error":{"code":404,"status":"NOT_FOUND"}}"#)
    let (answer, verdict) = FCMAnswer.read(status: 404, body: json, wall: 0)
    #expect(verdict == .pauseCredential(.credential))
    #expect(answer.reason == "NOT_FOUND")
  }

  @Test func `only a proof makes an invalid argument a dead token`() {
    func judged(_ message: String) -> Verdict {
      FCMVerdicts.judge(status: 400, fault: Self.fault("INVALID_ARGUMENT", message: message))
    }
    let dead = Verdict.invalidToken(.init(guarded: true))
    #expect(judged("The registration token is not a valid FCM registration token") == dead)
    #expect(judged("THE REGISTRATION TOKEN IS NOT A VALID FCM REGISTRATION TOKEN.") == dead)
    #expect(judged("Android message is too big") == .deadLetter(.payloadTooLarge))
    #expect(judged("Message is too large. The maximum is 4K.") == .deadLetter(.payloadTooLarge))
    #expect(judged("Some new text about a token") == .deadLetter(.rejected))
    var field = Self.fault("INVALID_ARGUMENT")
    var violation = FCMFault.Violation()
    violation.field = "message.token"
    field.violations = [violation]
    #expect(FCMVerdicts.judge(status: 400, fault: field) == dead)
    field.violations[0].field = "message.data[0].value"
    #expect(FCMVerdicts.judge(status: 400, fault: field) == .deadLetter(.rejected))
  }

  @Test(arguments: [(400, "INVALID_ARGUMENT"), (404, "UNREGISTERED")])
  func `a dead Live Activity token is not the registration token`(status: Int, code: String) {
    var fault = Self.fault(code)
    var apns = FCMFault.APNsFault()
    apns.status = 410
    fault.apns = apns
    func isOfActivity(_ sent: Bool) -> Bool? {
      guard
        case .invalidToken(let token) = FCMVerdicts.judge(
          status: status, fault: fault, isLiveActivity: sent)
      else { return nil }
      return token.isLiveActivity
    }
    #expect(isOfActivity(true) == true)
    #expect(isOfActivity(false) == false)
    fault.apns = nil
    #expect(isOfActivity(true) != true)
  }

  @Test func `the wait of RetryInfo counts when there is no header`() {
    let body = bytes(
      #"{"error":{"code":503,"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","#
        + #""retryDelay":"30s"}]}}"#)
    #expect(FCMAnswer.read(status: 503, body: body, wall: 0).0.retryAfter == .seconds(30))
    let (both, _) = FCMAnswer.read(status: 503, body: body, retryAfter: bytes("7"), wall: 0)
    #expect(both.retryAfter == .seconds(7))
  }

  @Test func `the detail names the fields and shows no token`() {
    let token = "fGw0qy4TGgk:APA91bGtWGjuhp4WRhHXgbabIYp1jxEKI08ofj_v1bKhWAGJQ4e3arRCWzeTfHaLz83"
    let body = bytes(
      #"{"error":{"message":"Bad value \#(token)!","details":[{"@type":"#
        + #""type.googleapis.com/google.rpc.BadRequest","fieldViolations":[{"field":"#
        + #""message.data[0].value","description":"no string"}]}]}}"#)
    let (answer, _) = FCMAnswer.read(status: 400, body: body, wall: 0)
    #expect(answer.detail.contains("message.data[0].value: no string"))
    #expect(!answer.detail.contains("APA91b"))
    #expect(answer.detail.contains("fGw0qy…"))
  }

  @Test func `the name of an accepted message is kept, and may be missing`() {
    let body = bytes(#"{"name":"projects/p/messages/0:15%31"}"#)
    #expect(FCMAnswer.read(status: 200, body: body, wall: 0).0.messageName.hasSuffix("%31"))
    let (answer, verdict) = FCMAnswer.read(status: 200, body: [], wall: 0)
    #expect(answer.messageName.isEmpty && verdict == .accepted)
  }

  @Test(arguments: [
    "null", "[]", "7", #"{"error":7}"#, #"{"error":{"details":{}}}"#,
    #"{"error":{"details":[7,null,[],{"@type":7},{"@type":"a"}]}}"#,
  ])
  func `no body crashes the reader`(body: String) {
    #expect(FCMAnswer.read(status: 400, body: bytes(body), wall: 0).1 == .deadLetter(.rejected))
  }
}
