import HTTP2
import LoopIO
import PushCrypto
import Testing

@testable import PushSimulator

@Suite struct APNsAnswersTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let name: String
    let status: Int
    let reason: String
    let change: @Sendable (inout Push) -> Void
    var testDescription: String { name }

    init(
      _ name: String, _ status: Int, _ reason: String,
      _ change: @escaping @Sendable (inout Push) -> Void
    ) {
      self.name = name
      self.status = status
      self.reason = reason
      self.change = change
    }
  }

  static let refusals: [Case] = [
    Case("GET", 405, "MethodNotAllowed") { $0.method = "GET" },
    Case("another path", 404, "BadPath") { $0.path = "/4/device/aa" },
    Case("no token", 400, "MissingDeviceToken") { $0.token = "" },
    Case("a token that is not hexadecimal", 400, "BadDeviceToken") { $0.token = "xyz0" },
    Case("half a byte", 400, "BadDeviceToken") { $0.token = "abc" },
    Case("no provider token", 403, "MissingProviderToken") { $0.bearer = nil },
    Case("a provider token of garbage", 403, "InvalidProviderToken") { $0.bearer = "x" },
    Case("a field twice", 400, "DuplicateHeaders") {
      $0.fields.append(("apns-topic", "com.example.chat"))
    },
    Case("an upper-case apns-id", 400, "BadMessageId") {
      $0.set("apns-id", "EABEAE54-14A8-11E5-B60B-1697F925EC7B")
    },
    Case("an expiration in milliseconds", 400, "BadExpirationDate") {
      $0.set("apns-expiration", "1764489600000")
    },
    Case("priority 7", 400, "BadPriority") { $0.set("apns-priority", "7") },
    Case("a collapse id of 65 bytes", 400, "BadCollapseId") {
      $0.set("apns-collapse-id", String(repeating: "c", count: 65))
    },
    Case("an unknown push type", 400, "InvalidPushType") { $0.set("apns-push-type", "loud") },
    Case("no topic", 400, "MissingTopic") { $0.set("apns-topic", nil) },
    Case("a topic that is none", 400, "BadTopic") { $0.set("apns-topic", "com example") },
    Case("another team's topic", 400, "TopicDisallowed") { $0.set("apns-topic", "com.other") },
    Case("the suffix of another push type", 400, "BadTopic") {
      $0.set("apns-topic", "com.example.chat.voip")
    },
    Case("mdm by key", 400, "TopicDisallowed") { $0.set("apns-push-type", "mdm") },
    Case("background at priority 10", 400, "BadPriority") {
      $0.set("apns-push-type", "background")
      $0.body = Array(#"{"aps":{"content-available":1}}"#.utf8)
    },
    Case("an alert that shows nothing", 400, "InvalidPushType") {
      $0.body = Array(#"{"aps":{"content-available":1}}"#.utf8)
    },
    Case("a background push that shows something", 400, "InvalidPushType") {
      $0.set("apns-push-type", "background")
      $0.set("apns-priority", "5")
      $0.body = Array(#"{"aps":{"content-available":1,"badge":1}}"#.utf8)
    },
    Case("an empty body", 400, "PayloadEmpty") { $0.body = [] },
    Case("a body that is no JSON", 400, "PayloadEmpty") { $0.body = Array("{".utf8) },
    Case("4,097 bytes", 413, "PayloadTooLarge") { $0.body = payload(4_097) },
    Case("5,121 bytes to voip", 413, "PayloadTooLarge") {
      $0.set("apns-push-type", "voip")
      $0.set("apns-topic", "com.example.chat.voip")
      $0.body = payload(5_121)
    },
    Case("0400…", 400, "BadDeviceToken") { $0.token = "0400aa" },
    Case("0410…", 410, "Unregistered") { $0.token = "0410aa" },
    Case("0429…", 429, "TooManyRequests") { $0.token = "0429aa" },
    Case("0500…", 500, "InternalServerError") { $0.token = "0500aa" },
    Case("0503…", 503, "ServiceUnavailable") { $0.token = "0503aa" },
  ]

  /// A JSON payload of exactly so many bytes.
  static func payload(_ count: Int) -> [UInt8] {
    let start = #"{"aps":{"alert":""#
    let end = #""}}"#
    let text = String(repeating: "x", count: count - start.utf8.count - end.utf8.count)
    return Array((start + text + end).utf8)
  }

  @Test(arguments: refusals)
  func `what APNs refuses gets its status and reason`(_ example: Case) async throws {
    try await SimulatorBench.run { bench in
      var push = Push()
      push.bearer = try bench.jwt()
      example.change(&push)
      let answer = try await bench.send(push, through: try bench.pool(bench.ports.apns))
      #expect(answer.status == example.status)
      #expect(answer.reason == example.reason)
      #expect(answer.header("content-type") == Array("application/json".utf8))
      #expect(answer.header("apns-id")?.count == 36)
    }
  }

  static let accepted: [Case] = [
    Case("a plain alert", 200, "") { _ in },
    Case("4,096 bytes", 200, "") { $0.body = payload(4_096) },
    Case("5,120 bytes to voip", 200, "") {
      $0.set("apns-push-type", "voip")
      $0.set("apns-topic", "com.example.chat.voip")
      $0.body = payload(5_120)
    },
    Case("no push type", 200, "") { $0.set("apns-push-type", nil) },
    Case("a long token", 200, "") { $0.token = String(repeating: "ab", count: 80) },
    Case("background", 200, "") {
      $0.set("apns-push-type", "background")
      $0.set("apns-priority", "5")
      $0.body = Array(#"{"aps":{"content-available":1},"acme":"bar"}"#.utf8)
    },
    Case("a collapse id of 64 bytes", 200, "") {
      $0.set("apns-collapse-id", String(repeating: "c", count: 64))
    },
    Case("a live activity", 200, "") {
      $0.set("apns-push-type", "liveactivity")
      $0.set("apns-topic", "com.example.chat.push-type.liveactivity")
      $0.body = Array(
        #"{"aps":{"timestamp":1,"event":"update","content-state":{"a":0.0}}}"#.utf8)
    },
    Case("a widget", 200, "") {
      $0.set("apns-push-type", "widgets")
      $0.set("apns-topic", "com.example.chat.push-type.widgets")
      $0.body = Array(#"{"aps":{"content-changed":true}}"#.utf8)
    },
  ]

  @Test(arguments: accepted)
  func `what APNs takes is answered with 200 and no body`(_ example: Case) async throws {
    try await SimulatorBench.run { bench in
      var push = Push()
      push.bearer = try bench.jwt()
      push.set("apns-id", "eabeae54-14a8-11e5-b60b-1697f925ec7b")
      example.change(&push)
      let answer = try await bench.send(push, through: try bench.pool(bench.ports.apns))
      #expect(answer.reason == "")
      #expect(answer.status == 200)
      #expect(answer.body.isEmpty)
      #expect(answer.header("apns-id") == Array("eabeae54-14a8-11e5-b60b-1697f925ec7b".utf8))
      #expect(answer.header("apns-unique-id") == nil)
    }
  }

  @Test func `the sandbox adds an id for the delivery log`() async throws {
    try await SimulatorBench.run { bench in
      var push = Push()
      push.bearer = try bench.jwt()
      let answer = try await bench.send(push, through: try bench.pool(bench.ports.sandbox))
      #expect(answer.status == 200)
      #expect(answer.header("apns-unique-id")?.count == 36)
    }
  }

  @Test func `a 410 carries a time in milliseconds and a 429 a Retry-After`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      push.token = "0410ff"
      let gone = try await bench.send(push, through: pool)
      let moment = try #require(JSONText(gone.body)?["timestamp"].flatMap { Int64($0) })
      #expect(moment > 1_700_000_000_000)
      push.token = "0429ff"
      let slow = try await bench.send(push, through: pool)
      #expect(slow.header("retry-after") == Array("2".utf8))
    }
  }

  @Test func `the token 05032 is refused twice and then accepted`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      push.token = "05032f"
      var statuses: [Int] = []
      for _ in 0..<4 { statuses.append(try await bench.send(push, through: pool).status) }
      #expect(statuses == [503, 503, 200, 200])
    }
  }
}
