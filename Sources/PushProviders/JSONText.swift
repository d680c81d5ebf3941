internal import PushCodec

/// A small JSON document of the other side: answers and key files. Missing and mistyped members
/// are nil, so that no answer can crash a reader.
struct JSONText {
  private let bytes: [UInt8]
  private let tokens: [JSONToken]

  init(_ bytes: [UInt8]) throws(JSONFault) {
    var scanner = JSONScanner()
    try scanner.scan(bytes.span)
    self.bytes = bytes
    tokens = scanner.tokens
  }

  /// One value of the document.
  struct Value {
    fileprivate let index: Int
  }

  var root: Value { Value(index: 0) }

  var isObject: Bool { tokens[0].kind == .object }

  /// The first member of that name; nil also when `object` is none.
  func member(_ name: String, of object: Value?) -> Value? {
    guard let object, tokens[object.index].kind == .object else { return nil }
    var at = object.index + 1
    while at < tokens[object.index].next {
      let value = Int(tokens[at].next)
      if tokenBytes(at).elementsEqual(name.utf8) { return Value(index: value) }
      at = Int(tokens[value].next)
    }
    return nil
  }

  /// The elements of an array; empty for anything else.
  func elements(of array: Value?) -> [Value] {
    guard let array, tokens[array.index].kind == .array else { return [] }
    var found: [Value] = []
    var at = array.index + 1
    while at < tokens[array.index].next {
      found.append(Value(index: at))
      at = Int(tokens[at].next)
    }
    return found
  }

  func string(_ name: String, of object: Value?) -> String? {
    bytes(name, of: object).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ name: String, of object: Value?) -> [UInt8]? {
    guard let value = member(name, of: object), tokens[value.index].kind == .string else {
      return nil
    }
    let token = tokens[value.index]
    guard token.hasEscapes else { return Array(tokenBytes(value.index)) }
    var out: [UInt8] = []
    JSONEscape.decode(bytes.span, Int(token.start)..<Int(token.end), into: &out)
    return out
  }

  /// A whole number; nil for a fraction, an exponent or one beyond 64 bits.
  func integer(_ name: String, of object: Value?) -> Int64? {
    guard let value = member(name, of: object), tokens[value.index].kind == .number else {
      return nil
    }
    return Int64(String(decoding: tokenBytes(value.index), as: UTF8.self))
  }

  private func tokenBytes(_ index: Int) -> ArraySlice<UInt8> {
    bytes[Int(tokens[index].start)..<Int(tokens[index].end)]
  }
}
