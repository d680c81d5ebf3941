/// A scanned JSON text of its own: the way of blocks that are merged, not of ordinary events.
struct JSONText {
  var bytes: [UInt8]
  var tokens: [JSONToken]

  /// Takes what our own code wrote, or what the scanner has accepted before.
  init?(_ bytes: [UInt8]) {
    var scanner = JSONScanner(maximumDepth: 192, maximumDigits: Int.max)
    do throws(JSONFault) { try scanner.scan(bytes.span) } catch { return nil }
    self.bytes = bytes
    tokens = scanner.tokens
  }

  init(bytes: [UInt8], tokens: [JSONToken]) {
    self.bytes = bytes
    self.tokens = tokens
  }

  func isKey(_ token: Int, _ name: [UInt8]) -> Bool { key(token) == name }

  func key(_ token: Int) -> [UInt8] {
    var name: [UInt8] = []
    JSONEscape.decode(bytes.span, tokens[token].range, into: &name)
    return name
  }

  /// The value of the last key of this name.
  func member(_ name: String, of object: Int?) -> Int? {
    guard let object, tokens[object].kind == .object else { return nil }
    return member([UInt8](name.utf8), of: object)
  }

  func member(_ name: [UInt8], of object: Int) -> Int? {
    var found: Int?
    forEachMember(of: object) { key, value in
      if isKey(key, name) { found = value }
    }
    return found
  }

  func forEachMember(of object: Int, _ body: (_ key: Int, _ value: Int) -> Void) {
    var key = object + 1
    while key < Int(tokens[object].next) {
      body(key, key + 1)
      key = Int(tokens[key + 1].next)
    }
  }

  func string(_ token: Int) -> String { String(decoding: key(token), as: UTF8.self) }
}
