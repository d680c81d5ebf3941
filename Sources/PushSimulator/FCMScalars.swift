/// `"3.000000001s"`: the JSON form of google.protobuf.Duration.
enum FCMDuration {
  /// Nil for another form.
  static func nanoseconds(_ text: [UInt8]) -> Int64? {
    guard text.last == UInt8(ascii: "s") else { return nil }
    let isNegative = text.first == UInt8(ascii: "-")
    let digits = text.dropLast().dropFirst(isNegative ? 1 : 0)
    let parts = digits.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard (1...2).contains(parts.count), (1...12).contains(parts[0].count),
      parts.allSatisfy({ $0.allSatisfy { $0 &- UInt8(ascii: "0") < 10 } }),
      let seconds = Int64(String(decoding: parts[0], as: UTF8.self)),
      seconds <= 9_000_000_000
    else { return nil }
    var nanoseconds: Int64 = 0
    if parts.count == 2 {
      guard (1...9).contains(parts[1].count) else { return nil }
      let padded = parts[1] + Array(repeating: UInt8(ascii: "0"), count: 9 - parts[1].count)
      nanoseconds = Int64(String(decoding: padded, as: UTF8.self)) ?? 0
    }
    let all = seconds * 1_000_000_000 + nanoseconds
    return isNegative ? -all : all
  }
}

/// RFC 3339, the JSON form of google.protobuf.Timestamp.
enum FCMTimestamp {
  static func isValid(_ text: [UInt8]) -> Bool {
    let form = Array("0000-00-00T00:00:00".utf8)
    guard text.count > form.count, zip(text, form).allSatisfy(fits) else { return false }
    var rest = text.dropFirst(form.count)
    if rest.first == UInt8(ascii: ".") {
      let digits = rest.dropFirst().prefix { isDigit($0) }
      guard (1...9).contains(digits.count) else { return false }
      rest = rest.dropFirst(digits.count + 1)
    }
    if rest.elementsEqual("Z".utf8) { return true }
    guard rest.count == 6, let sign = rest.first, sign == 0x2B || sign == 0x2D else { return false }
    return zip(rest.dropFirst(), "00:00".utf8).allSatisfy(fits)
  }

  private static func fits(_ byte: UInt8, _ form: UInt8) -> Bool {
    form == UInt8(ascii: "0") ? isDigit(byte) : byte == form
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }
}
