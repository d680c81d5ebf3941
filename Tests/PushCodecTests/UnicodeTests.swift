import PushModel
import Testing

@testable import PushCodec

/// BR-03: display text is repaired, anything else is refused with its bytes unchanged.
@Suite struct UnicodeTests {
  private let fixture = CodecFixture()

  private func item(_ before: String, _ bytes: [UInt8], _ after: String) -> [UInt8] {
    [UInt8](#"{"type":"notice","title":"T","#.utf8) + [UInt8](before.utf8) + bytes
      + [UInt8](after.utf8) + [UInt8](#","devices":[\#(CodecFixture.iphone)]}"#.utf8)
  }

  private func body(_ bytes: [UInt8]) throws -> String {
    guard case .event(let event) = fixture.decode(item(#""body":""#, bytes, "\"")) else {
      throw CodecFixture.Unexpected("not an event")
    }
    #expect(event.repairs == 1)
    let request = PushRequest()
    guard
      case .built(let notes) = fixture.codec.build(
        event, target: 0, now: CodecFixture.now, into: request)
    else { throw CodecFixture.Unexpected("not built") }
    #expect(notes.changes.contains(.unicode))
    return request.text
  }

  @Test func `a broken body is delivered with the replacement character`() throws {
    #expect(try body([UInt8](#"hi \udff3"#.utf8)).contains("hi \u{FFFD}"))
    #expect(try body([UInt8](#"hi \ud83d"#.utf8)).contains("hi \u{FFFD}"))
    #expect(try body([UInt8](#"\ud83d\u0041"#.utf8)).contains("\u{FFFD}A"))
    #expect(try body([0x61, 0x62, 0xF0, 0x9F, 0x98]).contains("ab\u{FFFD}"))
  }

  @Test func `a broken name is repaired too`() throws {
    let text = CodecFixture.event(
      #""type":"message","room":{"name":"R\ud800"},"sender":{"name":"\udc00"},"message":{"text":"x"}"#,
      CodecFixture.iphone)
    #expect(
      try fixture.request(text).text.contains("\"title\":\"R\u{FFFD}\",\"body\":\"\u{FFFD}: x\""))
  }

  @Test(
    arguments: [
      (#""data":{""#, [0xC0, 0xAF], #"":1}"#, "data"),
      (#""data":{"k":""#, [0xFF], #""}"#, "data"),
      (#""id":""#, [0xE2, 0x82], #"""#, "id"),
      (#""collapseKey":""#, [UInt8](#"\ud800"#.utf8), #"""#, "collapseKey"),
      (#""room":{"id":""#, [UInt8](#"\ud800"#.utf8), #""}"#, "room"),
      (#""future":""#, [0xFF], #"""#, "future"),
    ] as [(String, [UInt8], String, String)])
  func `anywhere else the event is refused and its bytes kept`(
    before: String, bytes: [UInt8], after: String, field: String
  ) throws {
    let item = item(before, bytes, after)
    guard case .malformed(let fault) = fixture.decode(item) else {
      Issue.record("accepted")
      return
    }
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix("\(field): broken Unicode"), "\(fault.detail)")
    let letter = fixture.codec.deadLetter(
      bytes: item, event: nil, targets: nil,
      facts: LetterFacts(fault, takenAt: 1, deadAt: 2, worker: "w"))
    let text = String(decoding: letter, as: UTF8.self)
    let isUTF8 = String(validating: item, as: UTF8.self) != nil
    #expect(text.contains(isUTF8 ? #""event":{"# : #""raw":""#))
    #expect(String(validating: letter, as: UTF8.self) != nil)
  }

  @Test func `random bytes are refused without a crash`() {
    var seed: UInt64 = 42
    for _ in 0..<2_000 {
      let bytes = (0..<1_000).map { _ in
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return UInt8(truncatingIfNeeded: seed >> 33)
      }
      if case .event = fixture.decode(bytes) { Issue.record("accepted") }
    }
  }

  @Test func `a byte order mark in front changes nothing`() throws {
    let text = CodecFixture.event(#""type":"notice","title":"T""#, CodecFixture.iphone)
    guard case .event(let event) = fixture.decode([0xEF, 0xBB, 0xBF] + [UInt8](text.utf8)) else {
      throw CodecFixture.Unexpected("not an event")
    }
    let letter = fixture.codec.deadLetter(
      bytes: event.bytes, event: event, targets: nil,
      facts: LetterFacts(
        reason: .rejected, detail: "", takenAt: 1, deadAt: 2, worker: "w"))
    #expect(String(decoding: letter, as: UTF8.self).hasSuffix(#","event":\#(text)}"#))
  }
}
