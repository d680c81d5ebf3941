/// Targets that always meet the same fate, so that a test needs no rule.
struct ReadyMadeTokens {
  /// How often a token of the `05032` kind was refused: it is accepted the third time. Bounded.
  private var refusals: [[UInt8]: Int] = [:]

  /// The fate of an APNs token in hexadecimal; nil for an ordinary one. The longest prefix wins.
  mutating func fate(ofAPNs token: ArraySlice<UInt8>) -> APNsReason? {
    guard token.first == UInt8(ascii: "0"), token.count >= 4 else { return nil }
    if token.starts(with: "05032".utf8) { return secondChance(Array(token)) }
    return Self.prefixes.first { token.starts(with: $0.0.utf8) }?.1
  }

  private mutating func secondChance(_ token: [UInt8]) -> APNsReason? {
    let count = refusals[token, default: 0]
    guard count < 2 else { return nil }
    if refusals.count >= 100_000 { refusals.removeAll() }
    refusals[token] = count + 1
    return .serviceUnavailable
  }

  private static let prefixes: [(String, APNsReason)] = [
    ("0400", .badDeviceToken), ("0410", .unregistered), ("0429", .tooManyRequests),
    ("0500", .internalServerError), ("0503", .serviceUnavailable),
  ]

  /// The fate of an FCM token or FID that contains one of these words.
  static func fate(ofFCM target: [UInt8]) -> FCMError? {
    words.first { contains(target, $0.0) }?.1
  }

  private static let words: [([UInt8], FCMError)] = [
    (Array("UNREGISTERED".utf8), .unregistered), (Array("QUOTA".utf8), .quotaExceeded),
    (Array("UNAVAILABLE".utf8), .unavailable), (Array("MISMATCH".utf8), .senderIDMismatch),
  ]

  private static func contains(_ text: [UInt8], _ word: [UInt8]) -> Bool {
    guard text.count >= word.count else { return false }
    return (0...text.count - word.count).contains { text[$0...].starts(with: word) }
  }
}
