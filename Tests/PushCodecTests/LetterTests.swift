import PushModel
import Testing

@testable import PushCodec

@Suite struct LetterTests {
  private let fixture = CodecFixture()

  private func letter(_ text: String, _ targets: [Int]?) throws -> String {
    let event = try fixture.event(text)
    let facts = LetterFacts(
      reason: .rejected, detail: "said \"no\"", provider: .apns, status: 400,
      providerReason: "BadTopic", attempts: 1, takenAt: 1_764_489_600_123,
      deadAt: 1_764_489_601_456, worker: "w.0", replays: 2)
    return String(
      decoding: fixture.codec.deadLetter(
        bytes: event.bytes, event: event, targets: targets, facts: facts), as: UTF8.self)
  }

  private let d0 = #"{ "platform":"ios", "token":"aa" }"#
  private let d1 = #"{"platform":"android","token":"x:y"}"#
  private let d2 = #"{"platform":"web","token":"x:z"}"#

  @Test func `a letter holds the event byte for byte`() throws {
    let event =
      #"{"id":"e1",  "type":"notice","title":"\u0054","n":1.0e5,"devices":[\#(d0) , \#(d1)]}"#
    #expect(
      try letter(" \n" + event + "\n", nil) == #"""
        {"v":1,"id":"e1","reason":"rejected","detail":"said \"no\"","provider":"apns",\#
        "status":400,"providerReason":"BadTopic","app":"chat","type":"notice","attempts":1,\#
        "takenAt":1764489600123,"deadAt":1764489601456,"worker":"w.0","replays":2,"event":\#(event)}
        """#)
  }

  @Test func `a letter about some devices holds those alone`() throws {
    let event = #"{"type":"notice", "title":"T","devices":[\#(d0), \#(d1),\#(d2)], "x":1}"#
    #expect(
      try letter(event, [0, 2]).hasSuffix(
        #""event":{"type":"notice", "title":"T","devices":[\#(d0),\#(d2)], "x":1}}"#))
    #expect(try letter(event, [0, 1, 2]).hasSuffix(#""event":\#(event)}"#))
  }

  @Test func `recipients without a device concerned are left out`() throws {
    let event = #"""
      {"type":"notice","title":"T","recipients":[{"user":"a","devices":[\#(d0),\#(d1)]}, 5,\#
      {"user":"b", "devices" : [\#(d2)]},{"user":"c","devices":[]}],"x":1}
      """#
    func list(_ targets: [Int]) throws -> String {
      let text = try letter(event, targets)
      let start = try #require(text.firstRange(of: #""recipients":["#))
      let end = try #require(text.firstRange(of: #"],"x":1}}"#))
      return String(text[start.upperBound..<end.lowerBound])
    }
    #expect(try list([1]) == #"{"user":"a","devices":[\#(d1)]}"#)
    #expect(try list([0, 1]) == #"{"user":"a","devices":[\#(d0),\#(d1)]}"#)
    #expect(try list([2]) == "5")
    #expect(
      try list([0, 3]) == #"{"user":"a","devices":[\#(d0)]},{"user":"b", "devices" : [\#(d2)]}"#)
  }

  @Test func `what was cut out decodes to the same targets again`() throws {
    let event = #"""
      {"id":"e","type":"notice","title":"T","recipients":[{"user":"a","devices":[\#(d0),\#(d1)]},\#
      {"user":"b","devices":[\#(d2)]}]}
      """#
    let whole = try fixture.event(event)
    let part = fixture.codec.splice(whole, targets: [1, 2])
    let again = try fixture.event(String(decoding: part, as: UTF8.self))
    #expect(again.targetCount == 2)
    #expect(again.redactedToken(of: 0) == whole.redactedToken(of: 1))
  }

  @Test func `bytes that are no object stand in base64`() throws {
    let facts = try LetterFacts(
      fixture.fault("not json"), takenAt: 1, deadAt: 2, worker: "w")
    let letter = fixture.codec.deadLetter(
      bytes: [UInt8]("not json".utf8), event: nil, targets: nil, facts: facts)
    #expect(
      String(decoding: letter, as: UTF8.self) == #"""
        {"v":1,"id":"q-1","reason":"invalid_json","detail":"unexpected byte at byte 0",\#
        "attempts":0,"takenAt":1,"deadAt":2,"worker":"w","replays":0,"raw":"bm90IGpzb24="}
        """#)
  }

  @Test func `an item too large keeps its length and its first 4 KB`() throws {
    let item = [UInt8](repeating: UInt8(ascii: "["), count: 10_000)
    guard case .malformed(let fault) = fixture.decode(item) else {
      throw CodecFixture.Unexpected("decoded")
    }
    let letter = fixture.codec.deadLetter(
      bytes: item, event: nil, targets: nil,
      facts: LetterFacts(fault, takenAt: 1, deadAt: 2, worker: "w"))
    let text = String(decoding: letter, as: UTF8.self)
    #expect(text.contains(#""reason":"item_too_large""#))
    #expect(text.contains(#""length":10000,"raw":"W1tb"#))
    #expect(letter.count < 6_000)
  }

  @Test func `a feedback record names the token of its kind`() throws {
    let device = #"""
      {"platform":"ios","token":" AA00 ","voipToken":"bb00","id":"d1","environment":"sandbox",\#
      "registeredAt":1764000000000}
      """#
    let text = #"{"id":"e1","type":"notice","title":"T","user":"u1","devices":[\#(device)]}"#
    let event = try fixture.event(text)
    let record = fixture.codec.invalidToken(
      event, target: 0,
      facts: TokenFacts(
        reason: "Unregistered", unregisteredAt: 1_469_425_701_606,
        observedAt: 1_764_489_601_456))
    #expect(
      String(decoding: record, as: UTF8.self) == #"""
        {"v":1,"kind":"device","token":"AA00","provider":"apns","app":"chat","platform":"ios",\#
        "environment":"sandbox","apnsTopic":"com.example.chat","user":"u1","deviceId":"d1",\#
        "reason":"Unregistered","unregisteredAt":1469425701606,"registeredAt":1764000000000,\#
        "observedAt":1764489601456,"event":"e1"}
        """#)
    let call = try fixture.event(text.replacing("notice", with: "call"))
    let voip = fixture.codec.invalidToken(
      call, target: 0, facts: TokenFacts(reason: "BadDeviceToken", observedAt: 5))
    #expect(
      String(decoding: voip, as: UTF8.self).contains(#""kind":"voip","token":"bb00""#))
  }
}
