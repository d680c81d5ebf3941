import PushCodec

/// A JSON text with its tokens: looks things up in it by token number; 0 is the whole.
struct JSONText {
  let bytes: [UInt8]
  let tokens: [JSONToken]

  /// Nil when the bytes are not JSON.
  init?(_ bytes: [UInt8], scanner: inout JSONScanner) {
    do {
      try scanner.scan(bytes.span)
    } catch {
      return nil
    }
    self.bytes = bytes
    tokens = scanner.tokens
  }

  func kind(_ at: Int) -> JSONToken.Kind { tokens[at].kind }

  /// Calls `body` with key and value of each member, until it returns false.
  func forEachMember(of object: Int, _ body: (_ key: Int, _ value: Int) -> Bool) {
    let end = Int(tokens[object].next)
    var at = object + 1
    while at < end {
      guard body(at, at + 1) else { return }
      at = Int(tokens[at + 1].next)
    }
  }

  /// The token numbers of the elements.
  func elements(of array: Int) -> [Int] {
    let end = Int(tokens[array].next)
    var at = array + 1
    var all: [Int] = []
    while at < end {
      all.append(at)
      at = Int(tokens[at].next)
    }
    return all
  }

  /// The value of the last member with this name; nil when absent, or when `object` is none.
  func member(_ name: StaticString, of object: Int) -> Int? {
    guard kind(object) == .object else { return nil }
    var found: Int?
    forEachMember(of: object) { key, value in
      if isString(key, name) { found = value }
      return true
    }
    return found
  }

  /// As `member`, without those that are null.
  func given(_ name: StaticString, of object: Int) -> Int? {
    guard let value = member(name, of: object), kind(value) != .null else { return nil }
    return value
  }

  /// Whether the string at `at` is `text`.
  func isString(_ at: Int, _ text: StaticString) -> Bool {
    let token = tokens[at]
    guard token.kind == .string else { return false }
    if token.hasEscapes { return string(at).utf8.elementsEqual(String(describing: text).utf8) }
    guard Int(token.end - token.start) == text.utf8CodeUnitCount else { return false }
    return text.withUTF8Buffer { text in
      for offset in 0..<text.count
      where unsafe text[offset] != bytes[Int(token.start) + offset] { return false }
      return true
    }
  }

  /// What the string at `at` means, as UTF-8.
  func utf8(_ at: Int) -> [UInt8] {
    let token = tokens[at]
    guard token.hasEscapes else { return Array(raw(at)) }
    var out: [UInt8] = []
    JSONEscape.decode(bytes.span, Int(token.start)..<Int(token.end), into: &out)
    return out
  }

  func string(_ at: Int) -> String { String(decoding: utf8(at), as: UTF8.self) }

  /// The bytes of a value as they stand; of a string without its quotes.
  func raw(_ at: Int) -> ArraySlice<UInt8> {
    bytes[Int(tokens[at].start)..<Int(tokens[at].end)]
  }

  /// The value of a whole number; nil for anything else.
  func integer(_ at: Int) -> Int64? {
    guard kind(at) == .number else { return nil }
    return Int64(String(decoding: raw(at), as: UTF8.self))
  }

  func number(_ at: Int) -> Double? {
    guard kind(at) == .number else { return nil }
    return Double(String(decoding: raw(at), as: UTF8.self))
  }
}
