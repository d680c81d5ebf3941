internal import PushCodec

/// One JSON object as it stands in its bytes: for reading records of lists, and for changing an
/// event's members without touching the bytes of the others.
struct JSONObject {
  private let bytes: [UInt8]
  private let tokens: [JSONToken]

  /// nil for anything but an object.
  init?(_ bytes: [UInt8]) {
    var scanner = JSONScanner()
    do throws(JSONFault) { try scanner.scan(bytes.span) } catch { return nil }
    guard scanner.tokens.first?.kind == .object else { return nil }
    self.bytes = bytes
    tokens = scanner.tokens
  }

  func string(_ name: String) -> String? {
    guard let at = member(name), tokens[at].kind == .string else { return nil }
    return text(at)
  }

  func integer(_ name: String) -> Int64? { decimal(name).flatMap { Int64(exactly: $0.rounded()) } }

  func decimal(_ name: String) -> Double? {
    guard let at = member(name), tokens[at].kind == .number else { return nil }
    return Double(String(decoding: bytes[range(at)], as: UTF8.self))
  }

  /// The bytes of a member that is an object.
  func object(_ name: String) -> [UInt8]? {
    guard let at = member(name), tokens[at].kind == .object else { return nil }
    return Array(bytes[range(at)])
  }

  /// The members as text; nil when one is an object or an array. Those that are null are left out.
  var scalars: [String: String]? {
    var scalars: [String: String] = [:]
    var isFlat = true
    forEachMember { key, value in
      switch tokens[value].kind {
      case .object, .array: isFlat = false
      case .null: break
      case .string: scalars[text(key)] = text(value)
      case .number, .yes, .no:
        scalars[text(key)] = String(decoding: bytes[range(value)], as: UTF8.self)
      }
    }
    return isFlat ? scalars : nil
  }

  /// The object without some members, and with others behind the rest.
  func changed(without names: Set<String>, adding members: [(String, Int64)]) -> [UInt8] {
    var parts: [ArraySlice<UInt8>] = []
    forEachMember { key, value in
      // A string's token leaves its quotes out.
      if !names.contains(text(key)) {
        let end = tokens[value].kind == .string ? tokens[value].end + 1 : tokens[value].end
        parts.append(bytes[Int(tokens[key].start) - 1..<Int(end)])
      }
    }
    for (name, value) in members { parts.append(Array("\"\(name)\":\(value)".utf8)[...]) }
    return [UInt8(ascii: "{")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "}")]
  }

  private func member(_ name: String) -> Int? {
    var found: Int?
    forEachMember { key, value in if text(key) == name { found = value } }
    return found
  }

  private func forEachMember(_ body: (_ key: Int, _ value: Int) -> Void) {
    var key = 1
    while key < Int(tokens[0].next) {
      body(key, key + 1)
      key = Int(tokens[key + 1].next)
    }
  }

  private func range(_ token: Int) -> Range<Int> {
    Int(tokens[token].start)..<Int(tokens[token].end)
  }

  private func text(_ token: Int) -> String {
    var text: [UInt8] = []
    JSONEscape.decode(bytes.span, range(token), into: &text)
    return String(decoding: text, as: UTF8.self)
  }
}
