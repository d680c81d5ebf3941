import Foundation
import PushModel
import Testing

@testable import PushCodec

/// Random events of all fields and all Unicode: what is built is good, or a fault names a field.
@Suite struct RandomEventTests {
  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private struct EventMaker {
    var dice: Dice

    mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &dice) < percent }
    mutating func pick<T>(_ all: [T]) -> T { all[Int.random(in: 0..<all.count, using: &dice)] }

    mutating func text() -> String {
      let parts = [
        "a", "Kim", #"\""#, #"\\"#, #"\n"#, #"\u0000"#, #"\u00e9"#, #"\ud83d\ude00"#, "한글", "👨‍👩‍👧‍👦",
        "🇰🇷", "é", "\u{2028}", " ", #"\/"#, "\u{10FFFF}", #"\ud800"#, "…",
      ]
      let count = chance(4) ? 2_000 : Int.random(in: 0..<12, using: &dice)
      var out = ""
      for _ in 0..<count { out += chance(98) ? pick(parts.dropLast(2)) : pick(parts) }
      return "\"\(out)\""
    }

    mutating func number() -> String {
      pick([
        "0", "-0", "1", "1.0", "1e3", "0.1", "9007199254740993", "18446744073709551616", "-1",
        "2147483647", "123456789012345678901234567890",
      ])
    }

    mutating func value(_ depth: Int = 0) -> String {
      switch Int.random(in: 0..<(depth > 3 ? 4 : 6), using: &dice) {
      case 0: return text()
      case 1: return number()
      case 2: return pick(["true", "false"])
      case 3: return "null"
      case 4:
        return "[" + (0..<3).map { _ in value(depth + 1) }.joined(separator: ", ") + "]"
      default: return object(depth + 1)
      }
    }

    mutating func object(_ depth: Int = 0) -> String {
      var keys: [String] = []
      let names = ["a", "b", "type", "url", "chatRoomId", "title", "x y", "한", "k1", "n"]
      for name in names where chance(25) { keys.append("\"\(name)\":\(value(depth))") }
      if chance(2) { keys.append(#""google.x":1"#) }
      return "{\(keys.joined(separator: " , "))}"
    }

    mutating func device() -> String {
      let token = pick([
        CodecFixture.tokenA, CodecFixture.tokenB.uppercased(), CodecFixture.fcmToken,
        CodecFixture.fid, "", "abc", "ä",
      ])
      var keys = [#""platform":"\#(pick(Platform.allCases).rawValue)""#]
      if chance(85) { keys.append(#""token":"\#(token)""#) }
      if chance(20) { keys.append(#""fid":"\#(CodecFixture.fid)""#) }
      if chance(40) { keys.append(#""voipToken":"bb""#) }
      if chance(40) { keys.append(#""liveActivityToken":"cc""#) }
      if chance(15) { keys.append(#""provider":"\#(pick(["apns", "fcm", "x"]))""#) }
      if chance(15) { keys.append(#""apnsTopic":\#(pick(["\"com.x\"", "\"com.x.voip\"", "1"]))"#) }
      return "{\(keys.joined(separator: ","))}"
    }

    mutating func event() -> String {
      var keys = [#""type":"\#(pick(BuiltInType.allCases).rawValue)""#]
      func add(_ percent: Int, _ name: String, _ value: String, _ maker: inout EventMaker) {
        if maker.chance(percent) { keys.append("\"\(name)\":\(value)") }
      }
      add(50, "room", #"{"id":\#(pick([text(), "42"])),"name":\#(text())}"#, &self)
      add(60, "sender", #"{"id":"s","name":\#(text()),"image":"https://e.com/s"}"#, &self)
      add(60, "message", #"{"id":\#(pick([text(), "77"])),"text":\#(text())}"#, &self)
      for name in ["title", "subtitle", "body", "locKey", "titleLocKey", "url", "image"] {
        add(25, name, text(), &self)
      }
      for name in ["channel", "category", "threadId", "collapseKey", "filterCriteria"] {
        add(20, name, text(), &self)
      }
      add(10, "locArgs", #"[\#(text()),1]"#, &self)
      add(40, "data", object(), &self)
      add(25, "badge", pick(["0", "1", "2147483647", "-1"]), &self)
      add(25, "sound", pick(["false", "\"x\"", #"{"critical":true,"volume":0.5}"#]), &self)
      add(20, "priority", pick(["\"high\"", "\"normal\"", "\"low\""]), &self)
      add(15, "pushType", "\"\(pick(PushType.allCases).rawValue)\"", &self)
      add(15, "contentAvailable", "true", &self)
      add(15, "mutableContent", pick(["true", "false"]), &self)
      add(8, "liveActivity", #"{"event":"update","contentState":\#(object())}"#, &self)
      add(
        15, "apns", #"{"payload":{"aps":{"badge":\#(pick(["null", "5"]))},"z":\#(value())}}"#, &self
      )
      add(10, "apns", "null", &self)
      add(15, "fcm", #"{"android":{"ttl":"5s"},"data":{"z":\#(text()),"type":null}}"#, &self)
      add(15, "ttl", pick(["0", "1000", "2592000"]), &self)
      if chance(10) {
        keys.append(#""topic":"news""#)
      } else {
        keys.append(#""devices":[\#((0..<4).map { _ in device() }.joined(separator: ","))]"#)
        add(30, "lastReadId", pick(["\"m\"", "5"]), &self)
      }
      return "{\(keys.joined(separator: ","))}"
    }
  }

  @Test func `what is built is good, and what is refused is named`() throws {
    let fixture = CodecFixture()
    var maker = EventMaker(dice: Dice(state: 20_261_130))
    var built = 0
    var refused = 0
    for _ in 0..<400 {
      let text = maker.event()
      switch fixture.decode(text) {
      case .malformed(let fault):
        refused += 1
        #expect(!fault.detail.isEmpty && fault.reason != .invalidJSON, "\(text)")
      case .event(let event):
        for target in 0..<event.targetCount {
          var request = PushRequest()
          switch fixture.codec.build(event, target: target, now: CodecFixture.now, into: &request) {
          case .built(let notes):
            built += 1
            check(request, notes, text)
          case .failed(let reason, let detail): #expect(!detail.isEmpty, "\(reason) \(text)")
          case .expired: Issue.record("expired: \(text)")
          }
        }
        let letter = fixture.codec.deadLetter(
          bytes: event.bytes, event: event, targets: [0],
          facts: LetterFacts(
            reason: .rejected, detail: "d", takenAt: 1, deadAt: 2, worker: "w"))
        #expect(JSONText(letter) != nil, "\(text)")
        fixture.codec.recycle(event)
      }
    }
    #expect(built > 300 && refused > 20)
  }

  private func check(_ request: PushRequest, _ notes: BuildNotes, _ event: String) {
    guard let text = JSONText(request.body), String(validating: request.body, as: UTF8.self) != nil
    else {
      Issue.record("not JSON: \(request.text) of \(event)")
      return
    }
    #expect(notes.bytes <= notes.limit, "\(event)")
    for token in text.tokens.indices where text.tokens[token].kind == .object {
      var seen: Set<[UInt8]> = []
      text.forEachMember(of: token) { key, _ in
        #expect(seen.insert(text.key(key)).inserted, "key twice: \(request.text)")
      }
    }
    if request.provider == .fcm {
      #expect(DiscoveryChecker.problems(request.body) == [], "\(event)")
      return
    }
    #expect(request.body.count <= request.pushType.maximumBodyBytes)
    checkAPNs(request, text, event)
  }

  private func checkAPNs(_ request: PushRequest, _ text: JSONText, _ event: String) {
    #expect(request.collapseID.count <= 64)
    #expect(request.collapseID.allSatisfy { $0 >= 0x20 && $0 != 0x7F })
    #expect(request.apnsID.count == 36)
    let aps = text.member("aps", of: 0)
    let shows = ["alert", "badge", "sound"].contains { text.member($0, of: aps) != nil }
    switch request.pushType {
    case .alert: #expect(shows, "\(request.text) of \(event)")
    case .background:
      #expect(!shows && request.priority == 5, "\(request.text) of \(event)")
      #expect(text.member("content-available", of: aps) != nil)
    default: break
    }
    #expect(String(decoding: request.topic, as: UTF8.self).hasSuffix(request.pushType.topicSuffix))
  }
}
