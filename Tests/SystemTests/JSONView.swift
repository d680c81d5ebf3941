@testable import PushCodec

/// A value of a JSON text, read as it stands.
struct JSONView {
  private let text: JSONText
  private let token: Int

  /// The value that the whole text is; nil when it is no JSON.
  init?(_ bytes: some Sequence<UInt8>) {
    guard let text = JSONText([UInt8](bytes)) else { return nil }
    self.init(text, 0)
  }

  private init(_ text: JSONText, _ token: Int) {
    self.text = text
    self.token = token
  }

  /// A member of an object, or an element of an array by its number.
  subscript(_ path: String...) -> JSONView? {
    var at: Int? = token
    for name in path {
      guard let parent = at else { return nil }
      if text.tokens[parent].kind == .array {
        let elements = elementTokens(of: parent)
        at = Int(name).flatMap { elements.indices.contains($0) ? elements[$0] : nil }
      } else {
        at = text.member(name, of: parent)
      }
    }
    return at.map { JSONView(text, $0) }
  }

  /// The value as written, digit for digit.
  var source: String {
    let range = text.tokens[token].range
    let isString = text.tokens[token].kind == .string
    let bytes = text.bytes[range]
    return isString
      ? "\"" + String(decoding: bytes, as: UTF8.self) + "\""
      : String(decoding: bytes, as: UTF8.self)
  }

  /// The text of a string; nil for anything else.
  var string: String? { text.tokens[token].kind == .string ? text.string(token) : nil }

  var integer: Int64? { text.tokens[token].kind == .number ? Int64(source) : nil }

  var isObject: Bool { text.tokens[token].kind == .object }

  /// Keys of an object, in order.
  var keys: [String] {
    var keys: [String] = []
    if isObject { text.forEachMember(of: token) { key, _ in keys.append(text.string(key)) } }
    return keys
  }

  var elements: [JSONView] {
    text.tokens[token].kind == .array ? elementTokens(of: token).map { JSONView(text, $0) } : []
  }

  private func elementTokens(of array: Int) -> [Int] {
    var found: [Int] = []
    var at = array + 1
    while at < Int(text.tokens[array].next) {
      found.append(at)
      at = Int(text.tokens[at].next)
    }
    return found
  }
}
