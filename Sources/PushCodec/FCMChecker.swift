import PushModel

/// Checks a part of an FCM message against the shapes and writes it in snake_case.
struct FCMChecker: ~Copyable {
  private let text: JSONText
  private var writer = JSONWriter()

  /// Fields that the device decides, and the output-only one.
  private static let refused: Set<String> = ["name", "token", "fid", "topic", "condition"]

  /// The `fcm` block in the form in which it is merged.
  static func normalise(_ content: EventContent, _ root: Int) throws(EventFault) -> JSONText {
    let text = JSONText(bytes: content.bytes.itemCopy, tokens: content.tokens.array())
    var checker = FCMChecker(text: text)
    try checker.check(root, .message, "fcm")
    guard let block = JSONText(checker.writer.out.array()) else {
      throw EventFault(.invalidEvent, "fcm: not readable")
    }
    if let android = block.member("android", of: 0), block.tokens[android].kind != .null,
      let other = block.member("androidV2", of: 0), block.tokens[other].kind != .null
    {
      throw EventFault(.invalidEvent, "fcm.androidV2: given together with android")
    }
    return block
  }

  private init(text: JSONText) { self.text = text }

  private mutating func check(
    _ token: Int, _ shape: FCMShape, _ path: String
  ) throws(EventFault) {
    // Null deletes what was built, whatever its type.
    if text.tokens[token].kind == .null { return writer.raw("null") }
    if case .object(let fields) = shape {
      guard text.tokens[token].kind == .object else {
        throw EventFault(.invalidEvent, "\(path): not an object")
      }
      if !fields.isEmpty { return try checkFields(token, fields, path) }
    } else {
      guard isRight(token, shape) else {
        throw EventFault(.invalidEvent, "\(path): not \(Self.name(of: shape))")
      }
      if case .stringMap = shape { try checkData(token, path) }
      if let wrong = FCMValue.fault(text.key(token), of: path) {
        throw EventFault(.invalidEvent, "\(path): \(wrong)")
      }
    }
    let text = text
    writer.value(token, text.tokens.span, text.bytes.span)
  }

  private mutating func checkFields(
    _ object: Int, _ fields: [String: FCMShape], _ path: String
  ) throws(EventFault) {
    writer.byte(UInt8(ascii: "{"))
    var seen: Set<String> = []
    var key = object + 1
    while key < Int(text.tokens[object].next) {
      let given = text.string(key)
      let place = "\(path).\(given.prefix(64))"
      guard let name = FCMShape.canonical(given, in: fields), let shape = fields[name] else {
        throw EventFault(.invalidEvent, "\(place): FCM has no such field")
      }
      if path == "fcm", Self.refused.contains(name) {
        throw EventFault(.invalidEvent, "\(place): not allowed here")
      }
      guard seen.insert(name).inserted else {
        throw EventFault(.invalidEvent, "\(place): given twice")
      }
      writer.comma()
      writer.text(name)
      writer.byte(UInt8(ascii: ":"))
      try check(key + 1, shape, place)
      key = Int(text.tokens[key + 1].next)
    }
    if let wrong = FCMValue.missing(seen, of: fields) {
      throw EventFault(.invalidEvent, "\(path).\(wrong)")
    }
    writer.close()
  }

  private func checkData(_ map: Int, _ path: String) throws(EventFault) {
    guard path.hasSuffix(".data") else { return }
    var key = map + 1
    while key < Int(text.tokens[map].next) {
      if ReservedKey.isReserved(text.key(key)) {
        let name = text.string(key).prefix(64)
        throw EventFault(.invalidEvent, "\(path).\(name): reserved by FCM")
      }
      key = Int(text.tokens[key + 1].next)
    }
  }

  private func isRight(_ token: Int, _ shape: FCMShape) -> Bool {
    let kind = text.tokens[token].kind
    switch shape {
    case .string: return kind == .string
    case .bool: return kind == .yes || kind == .no
    case .int: return kind == .number && Int32(text.string(token)) != nil
    case .float: return kind == .number
    case .duration: return kind == .string && FCMDuration.isValid(text.key(token))
    case .timestamp: return kind == .string && text.string(token).utf8.count >= 20
    case .choice(let allowed): return kind == .string && allowed.contains(text.string(token))
    case .strings: return kind == .array && elements(token).allSatisfy { isRight($0, .string) }
    case .durations:
      return kind == .array && elements(token).allSatisfy { isRight($0, .duration) }
    case .stringMap:
      guard kind == .object else { return false }
      var isRight = true
      text.forEachMember(of: token) { _, value in
        let kind = text.tokens[value].kind
        if kind != .string, kind != .null { isRight = false }
      }
      return isRight
    case .free: return true
    case .object: return kind == .object
    }
  }

  private func elements(_ array: Int) -> [Int] {
    var all: [Int] = []
    var at = array + 1
    while at < Int(text.tokens[array].next) {
      all.append(at)
      at = Int(text.tokens[at].next)
    }
    return all
  }

  private static func name(of shape: FCMShape) -> String {
    switch shape {
    case .string: "a string"
    case .bool: "true or false"
    case .int: "a 32-bit integer"
    case .float: "a number"
    case .duration: "a duration such as \"3.5s\", at most 2419200s"
    case .timestamp: "a time in RFC 3339"
    case .choice(let allowed): "one of \(allowed.joined(separator: ", "))"
    case .strings: "an array of strings"
    case .durations: "an array of durations"
    case .stringMap: "an object of strings"
    case .free, .object: "an object"
    }
  }
}

/// Durations in the JSON form of protocol buffers, such as `3.000000001s`.
enum FCMDuration {
  /// The longest life FCM takes: four weeks.
  static let maximum: Int64 = 2_419_200

  static func isValid(_ text: [UInt8]) -> Bool {
    guard text.last == UInt8(ascii: "s") else { return false }
    let parts = text.dropLast().split(
      separator: UInt8(ascii: "."), maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.allSatisfy({ !$0.isEmpty && $0.allSatisfy { $0 &- 0x30 < 10 } }),
      let whole = parts.first, whole.count <= 10, parts.dropFirst().allSatisfy({ $0.count <= 9 })
    else { return false }
    let seconds = Int64(String(decoding: whole, as: UTF8.self)) ?? .max
    let hasFraction = parts.dropFirst().contains { $0.contains { $0 != 0x30 } }
    return seconds < maximum || seconds == maximum && !hasFraction
  }
}

/// Data keys that FCM refuses (protocol/fcm.md 2.6, the safe rule).
enum ReservedKey {
  static func isReserved(_ key: [UInt8]) -> Bool {
    let name = key.span
    return isReserved(name)
  }

  static func isReserved(_ key: borrowing Span<UInt8>) -> Bool {
    guard key.count > 2 else { return false }
    switch key[0] {
    case UInt8(ascii: "f"): return isEqual(key, "from")
    case UInt8(ascii: "g"): return hasPrefix(key, "google") || hasPrefix(key, "gcm")
    case UInt8(ascii: "m"): return isEqual(key, "message_type")
    default: return false
    }
  }

  private static func isEqual(_ key: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
    key.count == text.utf8CodeUnitCount && hasPrefix(key, text)
  }

  private static func hasPrefix(_ key: borrowing Span<UInt8>, _ text: StaticString) -> Bool {
    guard key.count >= text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for i in text.indices where unsafe key[i] != text[i] { return false }
      return true
    }
  }
}
