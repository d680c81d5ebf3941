/// Whether the other end of a connection is still there.
///
/// A firewall that forgot the connection drops packets without a word; only a PING without its
/// answer tells. One is sent when the connection has been idle for long, and when nothing at all
/// was heard since a request started: a server that is slow but answers PING is left in peace.
/// Only a byte ends a silence. That a request has been given up does not: where each is given up
/// sooner than the peer is asked, and idle connections are not asked, a dead one would stay forever.
struct Liveness {
  enum Action: Equatable { case none, ping, dead }

  /// Nanoseconds: without a byte on an idle connection (nil = never), without a byte since a request
  /// started, and from a PING to any byte.
  struct Limits {
    var idle: Int64?
    var silence: Int64
    var answer: Int64

    /// Half as many PINGs, down to one in ten minutes.
    mutating func grow() {
      idle = idle.map { max($0, min($0 * 2, Self.rarest)) }
      silence = max(silence, min(silence * 2, Self.rarest))
    }

    private static let rarest: Int64 = 600_000_000_000
  }

  var limits: Limits
  private var lastHeard: Int64
  private var pingSentAt: Int64?
  /// Since when we wait for any byte: the first start after the last byte.
  private var askedAt: Int64?

  init(_ limits: Limits, at now: Int64) {
    self.limits = limits
    lastHeard = now
  }

  mutating func requestStarted(at now: Int64) { if askedAt == nil { askedAt = now } }

  /// Bytes came.
  mutating func heard(at now: Int64, openRequests: Int) {
    lastHeard = now
    pingSentAt = nil
    askedAt = openRequests > 0 ? now : nil
  }

  /// What to do now; after `.ping` the caller sends one.
  mutating func check(at now: Int64) -> Action {
    if let pingSentAt { return now - pingSentAt >= limits.answer ? .dead : .none }
    guard now >= pingDue else { return .none }
    pingSentAt = now
    return .ping
  }

  /// When `check` next has something to say; nil = never, as things stand.
  var nextCheck: Int64? {
    if let pingSentAt { return pingSentAt + limits.answer }
    return pingDue == .max ? nil : pingDue
  }

  private var pingDue: Int64 {
    let forSilence = askedAt.map { $0 + limits.silence } ?? .max
    let forIdleness = limits.idle.map { lastHeard + $0 } ?? .max
    return min(forSilence, forIdleness)
  }
}
