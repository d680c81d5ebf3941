/// Whether the other end of a connection is still there.
///
/// A firewall that forgot the connection drops packets without a word; only a PING without its
/// answer tells. One is sent when the connection has been idle for long, and when requests are
/// open and nothing at all was heard: a server that is slow but answers PING is left in peace.
struct Liveness {
  enum Action: Equatable { case none, ping, dead }

  /// Open requests and no byte for so long: ask. A push is answered within a second or two.
  static let silence: Int64 = 5_000_000_000
  /// An answer to PING takes a round trip; this is fifty long ones.
  static let answerWithin: Int64 = 5_000_000_000

  private let idle: Int64?
  private var lastHeard: Int64
  private var pingSentAt: Int64?
  /// Since when we wait for any byte: the first start after the last byte.
  private var askedAt: Int64?

  /// `idle`: nanoseconds without a byte after which an idle connection is asked; nil = never.
  init(idle: Int64?, at now: Int64) {
    self.idle = idle
    lastHeard = now
  }

  mutating func requestStarted(at now: Int64) { if askedAt == nil { askedAt = now } }

  /// Bytes came.
  mutating func heard(at now: Int64, openRequests: Int) {
    lastHeard = now
    pingSentAt = nil
    askedAt = openRequests > 0 ? now : nil
  }

  mutating func requestsEnded() { askedAt = nil }

  /// What to do now; after `.ping` the caller sends one.
  mutating func check(at now: Int64) -> Action {
    if let pingSentAt { return now - pingSentAt >= Self.answerWithin ? .dead : .none }
    guard now >= pingDue else { return .none }
    pingSentAt = now
    return .ping
  }

  /// When `check` next has something to say; nil = never, as things stand.
  var nextCheck: Int64? {
    if let pingSentAt { return pingSentAt + Self.answerWithin }
    return pingDue == .max ? nil : pingDue
  }

  private var pingDue: Int64 {
    let forSilence = askedAt.map { $0 + Self.silence } ?? .max
    let forIdleness = idle.map { lastHeard + $0 } ?? .max
    return min(forSilence, forIdleness)
  }
}
