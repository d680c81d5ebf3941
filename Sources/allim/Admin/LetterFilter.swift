internal import PushModel
internal import SharedState

/// Which dead letters a call is about.
struct LetterFilter {
  static let names = ["queue", "reason", "app", "older", "text"]

  private var dead = DeadFilter()
  /// In lower case; empty = any.
  private var text: [UInt8] = []

  init(_ parameters: AdminParameters) throws(AdminFailure) {
    let reasons = DeadReason.allCases.map(\.rawValue)
    dead.reason = try parameters.choice("reason", reasons).flatMap { DeadReason(rawValue: $0) }
    dead.app = parameters.text("app")
    dead.older = try parameters.duration("older")
    text = Self.lowercased([UInt8]((parameters.text("text") ?? "").utf8))
  }

  /// `now` in UNIX milliseconds.
  func matches(_ letter: DeadLetter, now: Int64) -> Bool {
    guard dead.matches(letter, now: now) else { return false }
    return text.isEmpty || Self.lowercased(letter.bytes).firstRange(of: text) != nil
  }

  /// Of ASCII letters; the others stay as they are.
  private static func lowercased(_ bytes: [UInt8]) -> [UInt8] {
    bytes.map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
  }
}
