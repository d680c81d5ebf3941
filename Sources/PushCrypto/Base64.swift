/// Base64 of RFC 4648: the standard alphabet with padding, the URL alphabet without.
package enum Base64 {
  /// Standard alphabet, padded with `=`.
  package static func encode(_ bytes: [UInt8]) -> [UInt8] {
    var out = encode(bytes, alphabet: standard)
    while !out.count.isMultiple(of: 4) { out.append(padding) }
    return out
  }

  /// URL alphabet without padding, as JOSE wants it (RFC 7515 2).
  package static func encodeURL(_ bytes: [UInt8]) -> [UInt8] { encode(bytes, alphabet: url) }

  /// The bytes of standard base64; padding may be absent. Nil for any other character.
  package static func decode(_ text: [UInt8]) -> [UInt8]? { decode(text, 0x2B, 0x2F) }

  /// The bytes of URL base64; padding may be present. Nil for any other character.
  package static func decodeURL(_ text: [UInt8]) -> [UInt8]? { decode(text, 0x2D, 0x5F) }

  private static let padding: UInt8 = 0x3D
  private static let standard = alphabet("+/")
  private static let url = alphabet("-_")

  private static func alphabet(_ last: String) -> [UInt8] {
    [UInt8](("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789" + last).utf8)
  }

  private static func encode(_ bytes: [UInt8], alphabet: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity((bytes.count + 2) / 3 * 4)
    var window: UInt32 = 0
    var bits = 0
    for byte in bytes {
      window = window << 8 | UInt32(byte)
      bits += 8
      while bits >= 6 {
        bits -= 6
        out.append(alphabet[Int(window >> UInt32(bits) & 63)])
      }
    }
    if bits > 0 { out.append(alphabet[Int(window << UInt32(6 - bits) & 63)]) }
    return out
  }

  private static func decode(_ text: [UInt8], _ last62: UInt8, _ last63: UInt8) -> [UInt8]? {
    var digits = text[...]
    while digits.last == padding, text.count - digits.count < 2 { digits.removeLast() }
    // One digit alone carries no byte.
    guard digits.count % 4 != 1 else { return nil }
    var out: [UInt8] = []
    out.reserveCapacity(digits.count * 3 / 4)
    var window: UInt32 = 0
    var bits = 0
    for digit in digits {
      guard let value = value(digit, last62, last63) else { return nil }
      window = window << 6 | value
      bits += 6
      if bits >= 8 {
        bits -= 8
        out.append(UInt8(truncatingIfNeeded: window >> UInt32(bits)))
      }
    }
    return out
  }

  private static func value(_ digit: UInt8, _ last62: UInt8, _ last63: UInt8) -> UInt32? {
    switch digit {
    case 0x41...0x5A: UInt32(digit) - 0x41
    case 0x61...0x7A: UInt32(digit) - 0x61 + 26
    case 0x30...0x39: UInt32(digit) - 0x30 + 52
    case last62: 62
    case last63: 63
    default: nil
    }
  }
}
