/// What kind a bare token is by its look (protocol/vectors.json, `tokens`): a hint, never a reason
/// to drop.
package enum TokenShape: String, Sendable {
  case fcmToken = "fcm-token"
  case apnsToken = "apns-token"
  case fid
  case unknown

  package init(_ bytes: Span<UInt8>) {
    var isHex = true
    var isURLSafe = true
    for i in 0..<bytes.count {
      let byte = bytes[i]
      if byte == UInt8(ascii: ":") {
        self = .fcmToken
        return
      }
      if JSONEscape.hexValue(byte) == nil { isHex = false }
      if !Self.isURLSafe(byte) { isURLSafe = false }
    }
    if isHex, bytes.count >= 64 {
      self = bytes.count.isMultiple(of: 2) ? .apnsToken : .unknown
    } else {
      self = isURLSafe && (16...64).contains(bytes.count) ? .fid : .unknown
    }
  }

  /// True for one or more hex digits.
  static func isHex(_ bytes: borrowing Span<UInt8>) -> Bool {
    // Without a way out of the loop the compiler takes many bytes at a time.
    let others = unsafe bytes.withUnsafeBufferPointer { bytes in
      var others: UInt8 = 0
      for i in 0..<bytes.count {
        let byte = unsafe bytes[i]
        let isDigit: UInt8 = byte &- UInt8(ascii: "0") < 10 ? 1 : 0
        let isLetter: UInt8 = (byte | 0x20) &- UInt8(ascii: "a") < 6 ? 1 : 0
        others |= 1 ^ (isDigit | isLetter)
      }
      return others
    }
    return others == 0 && bytes.count > 0
  }

  @inline(__always)
  private static func isURLSafe(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
