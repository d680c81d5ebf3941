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
    var i = range.lowerBound
    while i < range.upperBound {
      let byte = bytes[i]
      guard byte == UInt8(ascii: "\\") else {
        out.append(byte)
        i += 1
        continue
      }
      switch bytes[i + 1] {
      case UInt8(ascii: "b"): out.append(0x08)
      case UInt8(ascii: "f"): out.append(0x0C)
      case UInt8(ascii: "n"): out.append(0x0A)
      case UInt8(ascii: "r"): out.append(0x0D)
      case UInt8(ascii: "t"): out.append(0x09)
      case UInt8(ascii: "u"):
        i += decodeUnits(bytes, at: i, into: &out)
        continue
      default: out.append(bytes[i + 1])
      }
      i += 2
    }
  }

  /// Appends the character of one `\uXXXX` or of a pair; the number of bytes read.
  private static func decodeUnits(
    _ bytes: Span<UInt8>, at: Int, into out: inout [UInt8]
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
  static func encode(_ bytes: Span<UInt8>, _ range: Range<Int>, into out: inout [UInt8]) {
    for i in range { encode(bytes[i], into: &out) }
  }

  @inline(__always)
  package static func encode(_ byte: UInt8, into out: inout [UInt8]) {
    guard byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") else {
      return out.append(byte)
    }
    out.append(UInt8(ascii: "\\"))
    switch byte {
    case 0x08: out.append(UInt8(ascii: "b"))
    case 0x09: out.append(UInt8(ascii: "t"))
    case 0x0A: out.append(UInt8(ascii: "n"))
    case 0x0C: out.append(UInt8(ascii: "f"))
    case 0x0D: out.append(UInt8(ascii: "r"))
    case 0x00..<0x20:
      for digit in [UInt8(ascii: "u"), 0x30, 0x30] { out.append(digit) }
      out.append(0x30 + byte >> 4)
      let low = byte & 15
      out.append(low < 10 ? 0x30 + low : 0x57 + low)
    default: out.append(byte)
    }
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
