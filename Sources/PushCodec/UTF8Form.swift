/// The shape of UTF-8 (Unicode 15, table 3-7).
enum UTF8Form {
  /// The length of the well-formed character that begins at `at`; 0 when there is none.
  @inline(__always)
  static func length(_ bytes: Span<UInt8>, at: Int) -> Int {
    let lead = bytes[at]
    if lead < 0x80 { return 1 }
    let left = bytes.count - at
    if lead < 0xE0 {
      return lead >= 0xC2 && left > 1 && isContinuation(bytes[at + 1]) ? 2 : 0
    }
    if lead < 0xF0 {
      guard left > 2, isContinuation(bytes[at + 1]), isContinuation(bytes[at + 2]) else {
        return 0
      }
      // E0 would be overlong below A0, ED a surrogate from A0.
      if lead == 0xE0, bytes[at + 1] < 0xA0 { return 0 }
      if lead == 0xED, bytes[at + 1] >= 0xA0 { return 0 }
      return 3
    }
    guard lead <= 0xF4, left > 3, isContinuation(bytes[at + 1]), isContinuation(bytes[at + 2]),
      isContinuation(bytes[at + 3])
    else { return 0 }
    // F0 would be overlong below 90, F4 beyond Unicode from 90.
    if lead == 0xF0, bytes[at + 1] < 0x90 { return 0 }
    if lead == 0xF4, bytes[at + 1] >= 0x90 { return 0 }
    return 4
  }

  @inline(__always)
  static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }

  /// Appends a scalar value.
  static func append<Sink: ByteSink & ~Copyable>(_ scalar: UInt32, to out: inout Sink) {
    switch scalar {
    case 0..<0x80:
      out.append(UInt8(scalar))
    case 0x80..<0x800:
      out.append(UInt8(0xC0 | scalar >> 6))
      out.append(UInt8(0x80 | scalar & 0x3F))
    case 0x800..<0x10000:
      out.append(UInt8(0xE0 | scalar >> 12))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    default:
      out.append(UInt8(0xF0 | scalar >> 18))
      out.append(UInt8(0x80 | scalar >> 12 & 0x3F))
      out.append(UInt8(0x80 | scalar >> 6 & 0x3F))
      out.append(UInt8(0x80 | scalar & 0x3F))
    }
  }
}
