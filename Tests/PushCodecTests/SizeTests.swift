import PushModel
import Testing

@testable import PushCodec

@Suite struct SizeTests {
  private let fixture = CodecFixture()

  private static let alphabet: [String] = [
    "a", "\"", "\\", "\n", "é", "한", "😀", "👨‍👩‍👧‍👦", "🇰🇷", "e\u{301}", "\r\n", "ᄒ", "ᅡ", "ᆫ", "\u{200D}",
    "🏽", "\u{1}", "क्षि", " ",
  ]

  private struct Dice: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ state >> 29
    }
  }

  private func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.text(text)
    return String(decoding: writer.out.array(), as: UTF8.self)
  }

  private func string(_ name: String, in request: PushRequest) throws -> String? {
    let text = try #require(JSONText(request.body))
    func find(_ object: Int) -> String? {
      var found: String?
      text.forEachMember(of: object) { key, value in
        if found != nil { return }
        if text.string(key) == name, text.tokens[value].kind == .string {
          found = text.string(value)
        } else if text.tokens[value].kind == .object {
          found = find(value)
        }
      }
      return found
    }
    return find(0)
  }

  @Test(arguments: [
    CodecFixture.iphone, CodecFixture.android, CodecFixture.relayed,
    CodecFixture.browser,
  ])
  func `a long body is cut at a grapheme, with an ellipsis, and is as long as fits`(
    device: String
  ) throws {
    var dice = Dice(state: 7)
    for round in 0..<60 {
      var body = ""
      while body.utf8.count < 4_000 + round * 60 {
        body += Self.alphabet.randomElement(using: &dice)!
      }
      let fields = #""type":"notice","title":"Title","body":\#(quoted(body))"#
      let built = try fixture.built(CodecFixture.event(fields, device))
      let sent = try #require(try string("body", in: built.request))
      #expect(built.notes.bytes <= built.notes.limit)
      guard built.notes.changes.contains(.body) else {
        #expect(sent.utf8.elementsEqual(body.utf8))
        continue
      }
      #expect(sent.utf8.suffix(3).elementsEqual("…".utf8))
      let kept = Array(sent.utf8.dropLast(3))
      #expect(body.utf8.starts(with: kept))
      // The cut is a grapheme boundary of the whole text.
      let at = body.utf8.index(body.startIndex, offsetBy: kept.count)
      #expect(Self.isBoundary(at, in: body))
      // Nothing is given away but what one grapheme and its escapes may take.
      if device != CodecFixture.relayed { #expect(built.notes.limit - built.notes.bytes < 200) }
      #expect(try string("title", in: built.request) == "Title")
    }
  }

  private static func isBoundary(_ index: String.Index, in text: String) -> Bool {
    guard index < text.endIndex else { return true }
    return text.index(before: text.index(after: index)) == index
  }

  @Test func `after the body the subtitle and the title are cut`() throws {
    let long = String(repeating: "x", count: 3_000)
    let fields = #""type":"notice","title":"\#(long)","subtitle":"\#(long)","body":"B""#
    let built = try fixture.built(CodecFixture.event(fields, CodecFixture.iphone))
    #expect(built.notes.changes.contains(.subtitle))
    #expect(try string("title", in: built.request) == long)
    let more = fields.replacing(#""title":"x"#, with: #""title":"yyyyyyyyyy\#(long)"#)
    let all = try fixture.built(CodecFixture.event(more, CodecFixture.iphone))
    #expect(all.notes.changes.contains(.title))
    #expect(try string("subtitle", in: all.request) == "…")
    #expect(all.request.body.count <= 4_096)
  }

  @Test func `BR-01 custom data is never shortened: too long is refused with the count`() throws {
    let ids = (0..<410).map { "\(100_000_000 + $0)" }.joined(separator: ",")
    let fields = #""type":"withdraw","data":{"event":"remove","ids":"\#(ids)"}"#
    for device in [CodecFixture.iphone, CodecFixture.android, CodecFixture.relayed] {
      let fault = try fixture.failure(CodecFixture.event(fields, device))
      #expect(fault.reason == .payloadTooLarge)
      #expect(fault.detail.contains("4096"))
    }
    let many = (0..<2_000).map { "\(100_000_000 + $0)" }.joined(separator: ",")
    #expect(
      try fixture.failure(
        CodecFixture.event(#""type":"sync","data":{"ids":"\#(many)"}"#, CodecFixture.iphone)
      ).reason == .payloadTooLarge)
  }

  @Test func `FCM counts keys and values of data with title, body and image`() throws {
    let fields = #""type":"notice","title":"é","data":{"x":"PAD"}"#
    let text = CodecFixture.event(fields, CodecFixture.android)
    let base = try fixture.built(text).notes.bytes
    #expect(base == "type".utf8.count + "notice".utf8.count + 2 + "x".utf8.count + 3)
    let pad = String(repeating: "y", count: 4_096 - base + 3)
    #expect(try fixture.built(text.replacing("PAD", with: pad)).notes.bytes == 4_096)
    // One more byte costs the title its place.
    let fault = try fixture.failure(text.replacing("PAD", with: pad + "y"))
    #expect(fault.reason == .payloadTooLarge)
  }

  @Test func `a topic has half the room`() throws {
    let long = String(repeating: "한", count: 1_000)
    let built = try fixture.built(
      #"{"type":"notice","title":"T","body":"\#(long)","topic":"news"}"#)
    #expect(built.notes.limit == 2_048)
    #expect(built.notes.bytes <= 2_048 && built.notes.bytes > 2_040)
  }

  @Test func `a body of 8 MiB is cut, not refused`() throws {
    let long = String(repeating: "가", count: 8 * 1_024 * 1_024 / 3)
    let built = try fixture.built(
      CodecFixture.event(#""type":"notice","title":"T","body":"\#(long)""#, CodecFixture.iphone))
    #expect(built.request.body.count <= 4_096)
    #expect(built.request.body.count > 4_080)
  }

  @Test func `a cut at any offset of odd text is a boundary`() {
    let text = Self.alphabet.joined() + Self.alphabet.reversed().joined()
    let bytes = [UInt8](text.utf8)
    for offset in 0...bytes.count {
      let cut = Graphemes.boundary(bytes.span, atOrBefore: offset)
      #expect(cut <= offset)
      #expect(Self.isBoundary(text.utf8.index(text.startIndex, offsetBy: cut), in: text))
    }
  }
}
