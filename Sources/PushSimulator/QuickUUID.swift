/// Random UUIDs in lower case, cheap enough for each of 100,000 answers a second; guessing one
/// gains nothing, so no system entropy is spent on them.
struct QuickUUID {
  private var state = UInt64.random(in: 1...UInt64.max)
  /// The last one made, 36 bytes; used again for the next.
  private(set) var text = [UInt8](repeating: UInt8(ascii: "-"), count: 36)

  /// Puts a new one into `text`.
  mutating func make() {
    var bits = next()
    var digits = 0
    for at in 0..<36 where at != 8 && at != 13 && at != 18 && at != 23 {
      if digits == 16 { bits = next() }
      text[at] = Self.hex[Int(bits & 15)]
      bits >>= 4
      digits += 1
    }
    text[14] = UInt8(ascii: "4")  // version (RFC 9562 5.4)
    text[19] = Self.hex[8 + Int(bits & 3)]  // variant
  }

  /// SplitMix64.
  private mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
    return z ^ (z >> 31)
  }

  private static let hex = Array("0123456789abcdef".utf8)
}
