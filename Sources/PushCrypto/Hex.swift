/// Bytes as lower-case hex digits.
package enum Hex {
  /// Two digits for each byte.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(bytes.count * 2)
    for byte in bytes { append(byte, to: &out) }
    return out
  }

  /// The bytes of an even number of digits of either case; nil for anything else.
  package static func decode(_ text: [UInt8]) -> [UInt8]? {
    guard text.count.isMultiple(of: 2) else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(text.count / 2)
    for at in stride(from: 0, to: text.count, by: 2) {
      guard let high = value(text[at]), let low = value(text[at + 1]) else { return nil }
      out.append(high << 4 | low)
    }
    return out
  }

  /// Appends the two digits of one byte.
  static func append(_ byte: UInt8, to out: inout [UInt8]) {
    out.append(digit(byte >> 4))
    out.append(digit(byte & 15))
  }

  /// The eight digits of four bytes, the first digit in the lowest byte.
  static func digits(_ a: UInt8, _ b: UInt8, _ c: UInt8, _ d: UInt8) -> UInt64 {
    let bytes = UInt64(a) | UInt64(b) << 16 | UInt64(c) << 32 | UInt64(d) << 48
    let values = bytes >> 4 & 0x000F_000F_000F_000F | (bytes & 0x000F_000F_000F_000F) << 8
    // From ten on the sum has the bit 0x10.
    let letters = (values + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101
    return values + 0x3030_3030_3030_3030 + letters * 0x27
  }

  static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x57 + value }

  private static func value(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
  }
}
