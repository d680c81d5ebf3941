import PushModel

/// The `apns.headers` block: what it says about our own headers, and what it adds.
enum HeaderBlock {
  enum Known: String, CaseIterable {
    case topic = "apns-topic"
    case pushType = "apns-push-type"
    case priority = "apns-priority"
    case expiration = "apns-expiration"
    case collapseID = "apns-collapse-id"
    case id = "apns-id"
  }

  /// Headers that are ours or the connection's alone.
  private static let refused: Set<String> = [
    "authorization", "connection", "content-length", "host", "keep-alive", "proxy-connection",
    "te", "transfer-encoding", "upgrade",
  ]

  /// What all of the block may be in bytes, as HTTP/2 servers use to bound it. A longer one could
  /// never be sent, and each try would look as if the provider refused.
  static let mostBytes = 8_192

  /// Throws on a value that could not stand in a header.
  static func check(_ content: EventContent) throws(EventFault) {
    let object = content.facts.apnsHeaders
    guard object >= 0 else { return }
    var (key, bytes) = (object + 1, 0)
    while key < Int(content.tokens[object].next) {
      try check(key, content)
      bytes += content.tokens[key].count + content.tokens[key + 1].count
      key = Int(content.tokens[key + 1].next)
    }
    guard bytes <= mostBytes else {
      throw EventFault(
        .invalidEvent, "apns.headers: \(bytes) bytes, allowed are \(mostBytes)")
    }
  }

  private static func check(_ key: Int, _ content: EventContent) throws(EventFault) {
    let name = String(decoding: content.decodedKey(key), as: UTF8.self)
    let place = "apns.headers.\(content.shownKey(key))"
    let token = content.tokens[key + 1]
    guard name.utf8.allSatisfy(isNameByte), !name.isEmpty, !refused.contains(name.lowercased())
    else { throw EventFault(.invalidEvent, "\(place): not allowed") }
    if token.kind == .null { return }
    guard token.kind == .string || token.kind == .number,
      value(key + 1, content).allSatisfy({ $0 >= 0x20 && $0 != 0x7F })
    else { throw EventFault(.invalidEvent, "\(place): not a header value") }
    let text = String(decoding: value(key + 1, content), as: UTF8.self)
    let isGood =
      switch Known(rawValue: name.lowercased()) {
      case .pushType: PushType(rawValue: text) != nil
      case .priority: ["1", "5", "10"].contains(text)
      case .expiration: Int64(text).map { $0 >= 0 } ?? false
      case .collapseID: (1...64).contains(text.utf8.count)
      case .topic: !text.isEmpty
      case .id: isUUID(text)
      case nil: true
      }
    if !isGood {
      throw EventFault(.invalidEvent, "\(place): \(content.shown(key + 1)) is not a valid value")
    }
  }

  /// The value as bytes: a string decoded, or a number's digits.
  static func value(_ token: Int, _ content: EventContent) -> [UInt8] {
    var out: [UInt8] = []
    content.bytes.withItem {
      JSONEscape.decode(copy $0, content.tokens[token].range, into: &out)
    }
    return out
  }

  /// The value of one of our headers; nil when the block does not have it, empty when it is null.
  static func find(_ known: Known, _ content: EventContent) -> [UInt8]? {
    var found: [UInt8]?
    forEach(content) { name, value in
      if name == known.rawValue { found = value ?? [] }
    }
    return found
  }

  static func pushType(_ content: EventContent) -> PushType? {
    guard let value = find(.pushType, content) else { return nil }
    return PushType(rawValue: String(decoding: value, as: UTF8.self))
  }

  /// Every header in order; the value is nil for null.
  static func forEach(_ content: EventContent, _ body: (String, [UInt8]?) -> Void) {
    let object = content.facts.apnsHeaders
    guard object >= 0 else { return }
    var key = object + 1
    while key < Int(content.tokens[object].next) {
      let name = String(decoding: content.decodedKey(key), as: UTF8.self).lowercased()
      let isNull = content.tokens[key + 1].kind == .null
      body(name, isNull ? nil : value(key + 1, content))
      key = Int(content.tokens[key + 1].next)
    }
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func isUUID(_ text: String) -> Bool {
    text.utf8.count == 36
      && text.utf8.enumerated().allSatisfy { at, byte in
        [8, 13, 18, 23].contains(at)
          ? byte == UInt8(ascii: "-") : JSONEscape.hexValue(byte) != nil
      }
  }
}
