import Foundation
import PushModel
import Testing

@testable import PushCodec

@Suite struct JSONScannerTests {
  static func scan(_ bytes: [UInt8], depth: Int = 1_000) -> JSONFault? {
    var scanner = JSONScanner(maximumDepth: depth)
    do throws(JSONFault) {
      try scanner.scan(bytes.span)
      return nil
    } catch {
      return error
    }
  }

  static func scan(_ text: String) -> JSONFault? { scan([UInt8](text.utf8)) }

  @Test(arguments: [
    "{}", "[]", "0", "-0", "1e5", "1.5E-3", "\"\"", "true", "false", "null", " [1 , 2] ",
    #"{"a":{"b":[1,"x",null]},"":0}"#, #""\u00e9\ud83d\ude00\/\b""#, "\"\u{7F}한글\"",
  ])
  func `JSON is accepted`(text: String) { #expect(Self.scan(text) == nil) }

  @Test(arguments: [
    "", " ", "{", "[", "\"", "01", "-", "1.", ".5", "1e", "+1", "tru", "nul", "[1,]", "[,1]",
    "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}", "{1:1}", "[1}", "{]", "1 2", "\"\u{1}\"",
    #""\x""#, #""\u12g4""#, #""\"#, "[1]]", "NaN", "'a'", "[1 2]", "\u{FEFF}",
  ])
  func `anything else is refused`(text: String) { #expect(Self.scan(text) != nil) }

  @Test func `a byte order mark is skipped`() {
    #expect(Self.scan([0xEF, 0xBB, 0xBF] + Array("{}".utf8)) == nil)
  }

  @Test func `depth and digits are bounded without recursion`() {
    let deep = [UInt8](repeating: UInt8(ascii: "["), count: 1_000_000)
    #expect(Self.scan(deep, depth: 64) == .tooDeep(at: 64))
    let long = [UInt8](repeating: UInt8(ascii: "7"), count: 1_001)
    #expect(Self.scan(long) == .numberTooLong(at: 0))
    #expect(Self.scan([UInt8](long.dropLast())) == nil)
  }

  @Test(
    arguments: [
      [0x22, 0xF0, 0x9F, 0x98, 0x22], [0x22, 0xC0, 0xAF, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22],
      [0x22, 0xFF, 0x22], [0x22, 0xE0, 0x80, 0x80, 0x22], [0x22, 0xF4, 0x90, 0x80, 0x80, 0x22],
    ] as [[UInt8]])
  func `bytes that are not UTF-8 are marked in a string`(bytes: [UInt8]) throws {
    var scanner = JSONScanner()
    try scanner.scan(bytes.span)
    let (isInvalid, tokens) = (scanner.hasInvalidUTF8, scanner.tokens)
    #expect(isInvalid && tokens[0].isBroken)
  }

  @Test(arguments: [#""\udff3""#, #""\ud83d""#, #""\ud83d\u0041""#, #""\ud83dx""#])
  func `a lone surrogate is marked and the text is still UTF-8`(text: String) throws {
    var scanner = JSONScanner()
    try scanner.scan([UInt8](text.utf8).span)
    let (isInvalid, tokens) = (scanner.hasInvalidUTF8, scanner.tokens)
    #expect(!isInvalid && tokens[0].isBroken)
  }

  @Test func `every prefix of a text is refused without a crash`() {
    let text = [UInt8](#"{"a":[1.5e-3,true,"é\u00e9\ud83d\ude00"],"b":null}"#.utf8)
    for count in 0..<text.count { #expect(Self.scan([UInt8](text[..<count])) != nil) }
    #expect(Self.scan(text) == nil)
  }

  /// The public parser suite, where it is at hand.
  private static let suite: [(name: String, bytes: [UInt8])] = {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../shared/json-suite").standardizedFileURL
    return ["test_parsing", "test_transform"].flatMap { part in
      let place = folder.appending(path: part)
      let files = (try? FileManager.default.contentsOfDirectory(atPath: place.path)) ?? []
      return files.sorted().compactMap { name in
        (try? Data(contentsOf: place.appending(path: name))).map { (name, [UInt8]($0)) }
      }
    }
  }()

  @Test(.enabled(if: !suite.isEmpty))
  func `the public parser suite is accepted and refused as it says`() {
    for file in Self.suite {
      let fault = Self.scan(file.bytes)
      if file.name.hasPrefix("y_") { #expect(fault == nil, "\(file.name)") }
      if file.name.hasPrefix("n_") { #expect(fault != nil, "\(file.name)") }
    }
    #expect(Self.suite.count > 300)
  }

  @Test(.enabled(if: !suite.isEmpty))
  func `no file of the suite harms the codec`() {
    let fixture = CodecFixture()
    for file in Self.suite {
      let data = [UInt8](#"{"type":"sync","data":{"x":"#.utf8) + file.bytes
      let event = data + [UInt8](#"},"devices":[\#(CodecFixture.iphone)]}"#.utf8)
      if case .event(let event) = fixture.decode(event) {
        let request = PushRequest()
        _ = fixture.codec.build(event, target: 0, now: CodecFixture.now, into: request)
      }
      _ = fixture.decode(file.bytes)
    }
  }
}
