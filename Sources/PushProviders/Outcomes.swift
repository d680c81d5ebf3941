internal import HTTP2
internal import PushModel

extension SendTrouble {
  /// The same in the worker's words.
  init(_ trouble: RequestTrouble) {
    let kind: Kind =
      switch trouble.kind {
      case .noConnection: .noConnection
      case .tls: .tls
      case .proxy: .proxy
      case .noPlace, .timeout: .timeout
      case .refused: .refused
      case .goAway: .goAway
      case .reset: .reset
      case .closed: .closed
      case .shutDown: .shutdown
      }
    self.init(kind, trouble.detail)
  }
}

/// Replaces connections now and then, never so often that it could look like an attack (apns.md 12).
struct ReplacementBrake {
  /// Between two replacements, in nanoseconds.
  private let pause: Int64
  private var last = Int64.min / 2

  init(seconds: Int64) { pause = seconds * 1_000_000_000 }

  /// True when connections may be replaced now.
  mutating func admits(now: Int64) -> Bool {
    guard now - last >= pause else { return false }
    last = now
    return true
  }
}
