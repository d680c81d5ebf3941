import Testing

@testable import PushCodec

/// What is done many bytes at a time must see each byte as the simple way does.
@Suite struct ByteTests {
  @Test func `the end of plain text is found at every place of every length`() {
    for count in 0...50 {
      for place in 0..<max(1, count) {
        for byte: UInt8 in [0x00, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5C, 0x7F, 0x80, 0xFF] {
          var bytes = [UInt8](repeating: UInt8(ascii: "a"), count: count)
          if count > 0 { bytes[place] = byte }
          let plain = bytes.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C || $0 >= 0x80 }
          let escaped = bytes.firstIndex { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }
          let end = PlainText.end(bytes.span, from: 0)
          let endOfUnescaped = PlainText.endOfUnescaped(bytes.span, from: 0)
          #expect(end == plain ?? count && endOfUnescaped == escaped ?? count)
        }
      }
    }
  }

  @Test func `the first of several bytes ends plain text`() {
    let bytes = [UInt8](#"abcdefgh"j\lmn"pqrs"#.utf8)
    for start in 0..<bytes.count {
      let first = bytes[start...].firstIndex { $0 == 0x22 || $0 == 0x5C } ?? bytes.count
      let end = PlainText.end(bytes.span, from: start)
      #expect(end == first)
    }
  }

  @Test func `a buffer takes pieces of every size, and its own bytes again`() {
    let source = (0..<80).map { UInt8($0) }
    var buffer = ByteBuffer()
    var expected: [UInt8] = []
    for size in 0...80 {
      buffer.append(source.span.extracting(0..<size))
      buffer.append(quoted: source.span.extracting(80 - size..<80))
      expected += source[..<size] + [0x22] + source[(80 - size)...] + [0x22]
    }
    buffer.repeatBytes(3..<2_003)
    expected += expected[3..<2_003]
    let written = buffer.array()
    #expect(written == expected)
  }

  @Test func `a key is known wherever the text ends behind it, and nothing like it is`() {
    let tables = KeyTables()
    let known = EventKey.allCases.map { "\($0)" }
    let others = known.flatMap { [$0 + "s", String($0.dropLast()), $0 + "\0", $0.uppercased()] }
    for name in Set(known + others + ["", String(repeating: "k", count: 25)]) {
      for rest in 0...25 {
        let bytes = [UInt8]((name + String(repeating: "\"", count: rest)).utf8)
        let found = tables.event.find(bytes.span, at: 0, count: name.utf8.count)
        let wanted = EventKey.allCases.first { "\($0)" == name }
        #expect(found == wanted?.rawValue)
      }
    }
    // The table's memory is theirs.
    withExtendedLifetime(tables) {}
  }

  @Test func `equal bytes are equal at every length, and one other byte is seen`() {
    for count in 0...40 {
      let bytes = (0..<count).map { UInt8($0) }
      let isSame = bytes.span.isSame(as: bytes.span)
      #expect(isSame)
      for place in 0..<count {
        var other = bytes
        other[place] ^= 0x80
        let isSame = bytes.span.isSame(as: other.span)
        #expect(!isSame)
      }
    }
  }

  @Test func `three bytes are a character exactly where Unicode says so`() throws {
    for lead in UInt8(0xE0)...0xF0 {
      for second: UInt8 in [0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0] {
        for third: UInt8 in [0x22, 0x7F, 0x80, 0xBF, 0xC0] {
          // Bytes behind it, so that four are left.
          let bytes: [UInt8] = [0x22, lead, second, third, 0x61, 0x61, 0x22]
          var scanner = JSONScanner()
          // A quote as the third byte ends the string early.
          do throws(JSONFault) { try scanner.scan(bytes.span) } catch { continue }
          let isText = String(validating: bytes, as: UTF8.self) != nil
          let (isInvalid, tokens) = (scanner.hasInvalidUTF8, scanner.tokens)
          #expect(isInvalid == !isText && tokens[0].isBroken == !isText)
        }
      }
    }
  }
}
