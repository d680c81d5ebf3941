/// `'a' in topics && ('b' in topics || !('c' in topics))` (protocol/fcm.md 2).
struct FCMCondition {
  /// How many topics it names; nil when it is no condition.
  static func topics(_ text: [UInt8]) -> Int? {
    var reader = FCMCondition(text: text[...])
    guard reader.expression(), reader.isAtEnd else { return nil }
    return reader.count
  }

  private var text: ArraySlice<UInt8>
  private var count = 0
  private var depth = 0

  private init(text: ArraySlice<UInt8>) { self.text = text }

  private var isAtEnd: Bool { text.allSatisfy { $0 == 0x20 } }

  private mutating func expression() -> Bool {
    guard term() else { return false }
    while take("&&") || take("||") {
      guard term() else { return false }
    }
    return true
  }

  private mutating func term() -> Bool {
    while take("!") {}
    guard take("(") else { return topic() }
    depth += 1
    guard depth < 32, expression(), take(")") else { return false }
    depth -= 1
    return true
  }

  private mutating func topic() -> Bool {
    guard take("'"), let end = text.firstIndex(of: UInt8(ascii: "'")), end > text.startIndex
    else { return false }
    text = text[(end + 1)...]
    guard take("in"), take("topics") else { return false }
    count += 1
    return true
  }

  private mutating func take(_ word: String) -> Bool {
    text = text.drop { $0 == 0x20 }
    guard text.starts(with: word.utf8) else { return false }
    text = text.dropFirst(word.utf8.count)
    return true
  }
}
