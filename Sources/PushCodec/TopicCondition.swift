/// FCM's conditions: `'a' in topics && ('b' in topics || !('c' in topics))` (protocol/fcm.md 2).
struct TopicCondition {
  /// How many topics a condition names; nil when it is none.
  static func topics(of text: [UInt8]) -> Int? {
    var reader = TopicCondition(text: text)
    return reader.read() ? reader.count : nil
  }

  private enum Expected { case operand, operation }

  private let text: [UInt8]
  private var at = 0
  private var open = 0
  private var count = 0

  private init(text: [UInt8]) { self.text = text }

  private mutating func read() -> Bool {
    var expected = Expected.operand
    while skipBlanks() {
      switch expected {
      case .operand:
        if take("!") { continue }
        if take("(") {
          open += 1
          continue
        }
        guard topic() else { return false }
        expected = .operation
      case .operation:
        if take(")") {
          open -= 1
          if open < 0 { return false }
          continue
        }
        guard take("&&") || take("||") else { return false }
        expected = .operand
      }
    }
    return open == 0 && expected == .operation
  }

  private mutating func topic() -> Bool {
    guard take("'"), let end = text[at...].firstIndex(of: UInt8(ascii: "'")), end > at,
      text[at..<end].allSatisfy(TopicName.isAllowed)
    else { return false }
    at = end + 1
    count += 1
    return skipBlanks() && take("in") && skipBlanks() && take("topics")
  }

  /// False at the end.
  private mutating func skipBlanks() -> Bool {
    while at < text.count, text[at] == UInt8(ascii: " ") { at += 1 }
    return at < text.count
  }

  private mutating func take(_ word: String) -> Bool {
    guard text[at...].starts(with: word.utf8) else { return false }
    at += word.utf8.count
    return true
  }
}
