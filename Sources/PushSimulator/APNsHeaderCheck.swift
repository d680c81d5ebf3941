import HTTP2
import PushModel

/// The rules for method, path and header fields of one request (protocol/apns.md 2 and 3).
enum APNsHeaderCheck {
  private static let prefix = Array("/3/device/".utf8)

  /// The device token at the end of the path; throws what is wrong with the path.
  static func deviceToken(
    _ fields: APNsFields, in stream: ServerStream
  ) throws(APNsRefusal) -> Range<Int> {
    guard let method = fields.method, stream.textEquals(method, "POST") else {
      throw APNsRefusal(.methodNotAllowed)
    }
    guard let path = fields.path else { throw APNsRefusal(.badPath) }
    guard Bytes.hasPrefix(stream.text[path], prefix) else {
      let isBare = stream.textEquals(path, "/3/device")
      throw APNsRefusal(isBare ? .missingDeviceToken : .badPath)
    }
    let token = path.lowerBound + prefix.count..<path.upperBound
    if token.isEmpty { throw APNsRefusal(.missingDeviceToken) }
    if stream.text[token].contains(UInt8(ascii: "/")) { throw APNsRefusal(.badPath) }
    return token
  }

  /// `apns-id`, `apns-expiration`, `apns-priority`, `apns-collapse-id`, and repeated fields.
  static func check(_ fields: APNsFields, in stream: ServerStream) throws(APNsRefusal) {
    if fields.isDoubled { throw APNsRefusal(.duplicateHeaders) }
    if let id = fields.id, !isUUID(stream.text[id]) { throw APNsRefusal(.badMessageID) }
    if let expiration = fields.expiration, !isMoment(stream.text[expiration]) {
      throw APNsRefusal(.badExpirationDate)
    }
    if let priority = fields.priority, self.priority(stream, priority) == nil {
      throw APNsRefusal(.badPriority)
    }
    // 64 bytes, not characters.
    if let collapseID = fields.collapseID, collapseID.count > 64 {
      throw APNsRefusal(.badCollapseID)
    }
  }

  /// 10, 5 or 1; absent is 10 (apns.md 3.2).
  static func priority(_ stream: ServerStream, _ value: Range<Int>?) -> Int? {
    guard let value else { return 10 }
    if stream.textEquals(value, "10") { return 10 }
    if stream.textEquals(value, "5") { return 5 }
    return stream.textEquals(value, "1") ? 1 : nil
  }

  /// Hexadecimal of whole bytes; Apple makes no promise about the length (apns.md 2).
  static func isDeviceToken(_ text: ArraySlice<UInt8>) -> Bool {
    text.count.isMultiple(of: 2) && text.allSatisfy(isHexDigit)
  }

  /// Canonical form: 8-4-4-4-12 lower-case digits.
  private static func isUUID(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.count == 36 else { return false }
    var at = 0
    for byte in text {
      let isDash = at == 8 || at == 13 || at == 18 || at == 23
      let isUpper = byte >= UInt8(ascii: "A") && byte <= UInt8(ascii: "F")
      guard isDash ? byte == UInt8(ascii: "-") : isHexDigit(byte) && !isUpper else { return false }
      at += 1
    }
    return true
  }

  /// Whole UNIX seconds. Twelve digits are milliseconds, the usual mistake.
  private static func isMoment(_ text: ArraySlice<UInt8>) -> Bool {
    (1...11).contains(text.count) && text.allSatisfy { $0 &- UInt8(ascii: "0") < 10 }
  }

  private static func isHexDigit(_ byte: UInt8) -> Bool {
    byte &- UInt8(ascii: "0") < 10 || (byte | 0x20) &- UInt8(ascii: "a") < 6
  }
}

/// A reason as something to throw.
struct APNsRefusal: Error {
  let reason: APNsReason
  /// Milliseconds, on a 410 only.
  var timestamp: Int64?
  /// Seconds.
  var retryAfter: Int?

  init(_ reason: APNsReason, timestamp: Int64? = nil, retryAfter: Int? = nil) {
    self.reason = reason
    self.timestamp = timestamp
    self.retryAfter = retryAfter
  }
}
