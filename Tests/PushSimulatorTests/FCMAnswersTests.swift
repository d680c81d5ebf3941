import HTTP2
import LoopIO
import PushCrypto
import TestSupport
import Testing

@testable import PushSimulator

@Suite struct FCMAnswersTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    /// What stands in `message`.
    let message: String
    var status = 400
    /// FcmError's code; nil = no FcmError in the answer.
    var code: String? = "INVALID_ARGUMENT"
    /// A part of the text.
    var text = ""
    var testDescription: String { name }
  }

  /// The answers that protocol/vectors.json has captured, and the rules of protocol/fcm.md 2.
  static let refusals: [Case] = [
    Case(
      name: "a number in the data map", message: #"{"token":"a:b","data":{"k":12}}"#, code: nil,
      text: "Invalid value at 'message.data[0].value' (TYPE_STRING), 12"),
    Case(
      name: "an unknown field", message: #"{"toen":"a:b"}"#, code: nil,
      text: "Invalid JSON payload received. Unknown name \"toen\" at 'message': Cannot find field."
    ),
    Case(name: "no target", message: "{}", text: "Recipient of the message is not set."),
    Case(
      name: "two targets", message: #"{"token":"a:b","topic":"t"}"#, code: nil, text: "oneof"),
    Case(
      name: "a malformed token", message: #"{"token":"a b"}"#,
      text: "The registration token is not a valid FCM registration token"),
    Case(
      name: "a malformed FID", message: #"{"fid":"short"}"#, status: 404, code: "UNREGISTERED",
      text: "Requested entity was not found."),
    Case(
      name: "a dead token", message: #"{"token":"a:UNREGISTERED"}"#, status: 404,
      code: "UNREGISTERED", text: "Requested entity was not found."),
    Case(
      name: "a foreign token", message: #"{"token":"a:MISMATCH"}"#, status: 403,
      code: "SENDER_ID_MISMATCH", text: "SenderId mismatch"),
    Case(
      name: "no quota left", message: #"{"token":"a:QUOTA"}"#, status: 429,
      code: "QUOTA_EXCEEDED", text: "Quota exceeded"),
    Case(
      name: "overload", message: #"{"token":"a:UNAVAILABLE"}"#, status: 503, code: "UNAVAILABLE",
      text: "The service is currently unavailable."),
    Case(name: "a reserved key", message: #"{"token":"a:b","data":{"google.x":"1"}}"#),
    Case(name: "the key from", message: #"{"token":"a:b","android":{"data":{"from":"1"}}}"#),
    Case(
      name: "4 weeks and a second", message: #"{"token":"a:b","android":{"ttl":"2419201s"}}"#,
      text: "ttl"),
    Case(
      name: "a ttl that is a number", message: #"{"token":"a:b","android":{"ttl":30}}"#,
      code: nil, text: "message.android.ttl"),
    Case(
      name: "an unknown priority", message: #"{"token":"a:b","android":{"priority":"URGENT"}}"#,
      code: nil, text: "message.android.priority"),
    Case(
      name: "data alone at priority 10",
      message: #"{"token":"a:b","data":{"k":"v"},"apns":{"headers":{"apns-priority":"10"}}}"#),
    Case(
      name: "an APNs header that is a number",
      message: #"{"token":"a:b","apns":{"headers":{"apns-priority":5}}}"#, code: nil,
      text: "message.apns.headers[0].value"),
    Case(
      name: "both Android blocks",
      message: #"{"token":"a:b","android":{},"androidV2":{"background_sync":{}}}"#),
    Case(
      name: "a colour that is none",
      message: #"{"token":"a:b","android":{"notification":{"color":"red"}}}"#),
    Case(
      name: "a link without TLS",
      message: #"{"token":"a:b","webpush":{"fcm_options":{"link":"http://x"}}}"#),
    Case(name: "six topics", message: "{\"condition\":\"\(sixTopics)\"}"),
    Case(name: "a broken condition", message: #"{"condition":"'a' in topics &&"}"#),
    Case(
      name: "4,097 bytes", message: #"{"token":"a:b","data":{"k":"\#(text(4_096))"}}"#,
      text: "too large"),
    Case(
      name: "2,049 bytes to a topic", message: #"{"topic":"t","data":{"k":"\#(text(2_048))"}}"#,
      text: "2048"),
    Case(
      name: "an APNs payload of more than 4 KB",
      message: #"{"token":"a:b","apns":{"payload":{"aps":{"alert":"\#(text(4_096))"}}}}"#,
      text: "iOS message is too big"),
  ]

  private static let sixTopics = (1...6).map { "'t\($0)' in topics" }.joined(separator: " || ")

  private static func text(_ count: Int) -> String { String(repeating: "x", count: count) }

  @Test func `what FCM refuses gets its status, code and text`() async throws {
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      for example in Self.refusals {
        let answer = try await client.send("{\"message\":\(example.message)}")
        let body = try #require(JSONText(answer.body), "\(example)")
        #expect(answer.status == example.status, "\(example)")
        #expect(body["error.code"] == String(example.status), "\(example)")
        #expect(body["error.status"] == RPCStatus.name(of: example.status), "\(example)")
        #expect(FCMClient.code(body) == example.code, "\(example)")
        #expect(body["error.message"]?.contains(example.text) == true, "\(example)")
        let hasViolations = body["error.details.0.fieldViolations.0.description"] != nil
        #expect(hasViolations || example.code != nil, "\(example)")
      }
    }
  }

  static let accepted = [
    #"{"message":{"token":"bk3RNwTe3H0:CI2k_HHwgIpoDKCIZvvDMExUdFQ3P1...","notification":{"body":"This is an FCM notification message!","title":"FCM Message"}}}"#,
    #"{"message":{"fid":"epeBEsobvcr6wjGzmiPcTa","data":{"k":"v"}}}"#,
    #"{"message":{"token":"a:b","data":{"Nick":"Mario"},"apns":{"headers":{"apns-expiration":"1604750400"}},"android":{"ttl":"4500s"},"webpush":{"headers":{"TTL":"4500"}}}}"#,
    #"{"message":{"token":"a:b","data":{"k":"v"},"apns":{"headers":{"apns-priority":"5"},"payload":{"aps":{"content-available":1}}}}}"#,
    #"{"message":{"token":"a:b","data":{"k":"v"},"apns":{"headers":{"apns-priority":"10"},"payload":{"aps":{"alert":"x"}}}}}"#,
    #"{"message":{"token":"a:b","android":{"collapseKey":"c","directBootOk":true,"ttl":"3.000000001s","notification":{"notificationCount":3,"light_settings":{"color":{"red":0.5},"light_on_duration":"1s","light_off_duration":"1s"},"event_time":"2026-11-30T10:00:00.5Z","vibrate_timings":["1s"]}}}}"#,
    #"{"message":{"condition":"'a' in topics && ('b' in topics || !('c' in topics))"}}"#,
    #"{"message":{"token":"a:b","android":null,"androidV2":{"remote_notification":{"notification":{"id":7}}}}}"#,
  ]

  @Test func `what FCM takes gets a name`() async throws {
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      for request in Self.accepted {
        let answer = try await client.send(request)
        #expect(answer.status == 200, "\(request)")
        let name = JSONText(answer.body)?["name"] ?? ""
        #expect(name.hasPrefix("projects/allim-sim/messages/0:"), "\(request)")
      }
      let dry = try await client.send(#"{"validate_only":true,"message":{"topic":"foo-bar"}}"#)
      #expect(JSONText(dry.body)?["name"] == "projects/allim-sim/messages/fake_message_id")
    }
  }

  @Test func `quota and overload come with their details`() async throws {
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      let quota = try await client.send(#"{"message":{"token":"a:QUOTA"}}"#)
      let body = try #require(JSONText(quota.body))
      #expect(body["error.details.1.violations.0.subject"] == "project:allim-sim")
      let overload = try await client.send(#"{"message":{"token":"a:UNAVAILABLE"}}"#)
      #expect(overload.header("retry-after") == Array("2".utf8))
    }
  }

  @Test func `a rule answers for FCM with its code`() async throws {
    try await SimulatorBench.run { bench in
      try await bench.simulator.setRules(
        #"""
        [{"match":{"provider":"fcm","token":"a:x"},
          "respond":{"status":503,"reason":"UNAVAILABLE","retryAfter":9}}]
        """#)
      let client = try await FCMClient(bench)
      let answer = try await client.send(#"{"message":{"token":"a:x"}}"#)
      #expect(answer.status == 503)
      #expect(FCMClient.code(try #require(JSONText(answer.body))) == "UNAVAILABLE")
      #expect(answer.header("retry-after") == Array("9".utf8))
      #expect(try await client.send(#"{"message":{"token":"a:y"}}"#).status == 200)
    }
  }

  @Test func `without a good bearer, path or project nothing is sent`() async throws {
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      let message = #"{"message":{"token":"a:b"}}"#
      let none = try await client.send(message, bearer: nil)
      #expect(none.status == 401)
      #expect(JSONText(none.body)?["error.details.0.reason"] == "CREDENTIALS_MISSING")
      let wrong = try await client.send(message, bearer: "ya29.nobody")
      #expect(wrong.status == 401)
      #expect(JSONText(wrong.body)?["error.details"] == nil)
      let foreign = try await client.send(message, path: "/v1/projects/other/messages:send")
      #expect(foreign.status == 403)
      #expect(JSONText(foreign.body)?["error.status"] == "PERMISSION_DENIED")
      let lost = try await client.send(message, path: "/v1/projects/allim-sim/messages")
      #expect(lost.status == 404)
      await bench.simulator.setClockOffset(3_600)
      let late = try await client.send(message)
      #expect(late.status == 401)
      #expect(JSONText(late.body)?["error.details.0.reason"] == "ACCESS_TOKEN_EXPIRED")
    }
  }
}
