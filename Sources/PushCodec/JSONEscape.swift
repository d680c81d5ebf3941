/// Escapes of JSON strings, both ways.
package enum JSONEscape {
  /// The 16-bit unit of the `\uXXXX` that begins at `at`; nil when there is none.
  static func unit(_ bytes: Span<UInt8>, at: Int) -> UInt32? {
    guard at + 6 <= bytes.count, bytes[at] == UInt8(ascii: "\\"),
      bytes[at + 1] == UInt8(ascii: "u")
    else { return nil }
    var unit: UInt32 = 0
    for i in at + 2..<at + 6 {
      guard let digit = hexValue(bytes[i]) else { return nil }
      unit = unit << 4 | UInt32(digit)
    }
    return unit
  }

  @inline(__always)
  package static func hexValue(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
    default: nil
    }
  }

  /// Appends what a scanned string means, as UTF-8. A lone surrogate becomes U+FFFD; bytes that
  /// are not UTF-8 stay as they are.
  package static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
    decode(bytes, range, to: &out)
  }

  static func decode(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout ByteBuffer) {
    decode(bytes, range, to: &out)
  }

  private static func decode<Sink: ByteSink & ~Copyable>(
    _ bytes: Span<UInt8>, _ range: Range<Int>, to out: inout Sink
  ) {
    var i = range.lowerBound
    while i < range.upperBound {
      let plain = i
      while i < range.upperBound, bytes[i] != UInt8(ascii: "\\") { i &+= 1 }
      if i > plain { out.append(bytes.extracting(plain..<i)) }
      if i == range.upperBound { return }
      switch bytes[i + 1] {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        i += decodeUnits(bytes, at: i, to: &out)
        continue
      default: out.append(bytes[i + 1])
      }
      i += 2
    }
  }

  /// Appends the character of one `\uXXXX` or of a pair; the number of bytes read.
  private static func decodeUnits<Sink: ByteSink & ~Copyable>(
    _ bytes: Span<UInt8>, at: Int, to out: inout Sink
  ) -> Int {
    guard let unit = unit(bytes, at: at) else { return 6 }
    guard unit >= 0xD800, unit <= 0xDFFF else {
      UTF8Form.append(unit, to: &out)
      return 6
    }
    if unit < 0xDC00, let low = self.unit(bytes, at: at + 6), low >= 0xDC00, low <= 0xDFFF {
      UTF8Form.append(0x10000 + (unit - 0xD800) << 10 + (low - 0xDC00), to: &out)
      return 12
    }
    UTF8Form.append(0xFFFD, to: &out)
    return 6
  }

  /// Appends UTF-8 as the inside of a JSON string: only what RFC 8259 demands is escaped.
  static func encode(_ bytes: Span<UInt8>, into out: inout ByteBuffer) {
    var at = 0
    while true {
      let end = PlainText.endOfUnescaped(bytes, from: at)
      if end > at { out.append(bytes.extracting(at..<end)) }
      if end == bytes.count { return }
      encode(bytes[end], to: &out)
      at = end &+ 1
    }
  }

  /// The same of one byte.
  package static func encode(_ byte: UInt8, into out: inout [UInt8]) { encode(byte, to: &out) }

  @inline(__always)
  private static func encode<Sink: ByteSink & ~Copyable>(_ byte: UInt8, to out: inout Sink) {
    if let letter = escape(byte) {
      out.append(UInt8(ascii: "\\"))
      out.append(letter)
      if letter == UInt8(ascii: "u") { hex(byte) { out.append($0) } }
    } else {
      out.append(byte)
    }
  }

  /// What follows the backslash of a byte that must be escaped; nil for any other.
  @inline(__always)
  private static func escape(_ byte: UInt8) -> UInt8? {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"): byte
    case 0x08: UInt8(ascii: "b")
    case 0x09: UInt8(ascii: "t")
    case 0x0A: UInt8(ascii: "n")
    case 0x0C: UInt8(ascii: "f")
    case 0x0D: UInt8(ascii: "r")
    case 0x00..<0x20: UInt8(ascii: "u")
    default: nil
    }
  }

  /// The four digits after `\u` of a control character.
  private static func hex(_ byte: UInt8, _ put: (UInt8) -> Void) {
    put(0x30)
    put(0x30)
    put(0x30 + byte >> 4)
    let low = byte & 15
    put(low < 10 ? 0x30 + low : 0x57 + low)
  }

  /// How many bytes `encode` makes of one byte.
  @inline(__always)
  static func encodedCount(_ byte: UInt8) -> Int {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x08, 0x09, 0x0A, 0x0C, 0x0D: 2
    case 0x00..<0x20: 6
    default: 1
    }
  }
}
