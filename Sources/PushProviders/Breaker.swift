/// When a credential may be used: DESIGN's breaker of one credential and environment, as a value.
///
/// Closed until faults of the infrastructure come in a row; open for a pause that grows; then one
/// probe alone; then a slow start, so that a provider that has just come back meets no flood.
package struct Breaker: Sendable {
  /// What is no fault of a message.
  package enum Fault: String, Sendable {
    /// The provider does not accept the credential. A second try with the same key fails too.
    case auth
    /// No access token could be fetched.
    case token
    case connect, tls, proxy
    /// 5xx.
    case server
    /// No answer in time.
    case silence
    /// Streams refused again and again: each try costs four, and a push may try for hours.
    case refusal
    /// The connection was lost.
    case lost
  }

  package struct Limits: Sendable {
    package var openAfter: Int
    /// Longest pause between probes, in nanoseconds.
    package var longestPause: Int64

    package init(openAfter: Int = 5, longestPause: Int64 = 15 * second) {
      self.openAfter = openAfter
      self.longestPause = longestPause
    }
  }

  package enum Phase: Sendable, Equatable {
    case closed
    case open(until: Int64)
    /// One request may go, and shows what the others may hope for. `prober`: the member whose
    /// request is under way.
    case halfOpen(prober: Int?)
    /// So many at once over all members.
    case slowStart(limit: Int, successes: Int)
  }

  package static let second: Int64 = 1_000_000_000
  static let firstPause = second
  /// Faults of the server among successes come in short rows too: a row counts when it is this old,
  /// or ten times as long as it had to be. (Of ten thousand answers with every third a 500, five in
  /// a row are certain; five in a row over half a second are none.)
  static let shortestRow = second / 2
  /// What waits for one server is lost together when it goes away, and counts once.
  static let lossInterval = second
  /// A server's own wish is obeyed beyond `longestPause`, as far as Google's clients obey it.
  static let longestWish = 120 * second
  /// The slow start ends above this.
  static let fullSpeed = 128

  package private(set) var phase = Phase.closed
  /// Counts openings: what was sent before one says nothing after it.
  package private(set) var epoch = 0
  /// The pause under way, or the last one; nanoseconds.
  package private(set) var pause: Int64 = 0
  private let limits: Limits
  private var row = 0
  private var rowSince: Int64 = 0
  private var lastLoss = Int64.min / 2
  /// Openings since it was closed.
  private var openings = 0

  package init(_ limits: Limits) { self.limits = limits }

  /// Closed and without a fault: nothing to be asked or told.
  package var isCalm: Bool { phase == .closed && row == 0 }

  /// How many requests one of `members` may have under way; nil = any number.
  package func allowance(of member: Int, among members: Int) -> Int? {
    switch phase {
    case .closed: nil
    case .open: 0
    case .halfOpen(let prober): prober == nil || prober == member ? 1 : 0
    case .slowStart(let limit, _): max(1, limit / max(1, members))
    }
  }

  /// A member wants to send. Its request goes when this is true.
  package mutating func begins(_ member: Int, running: Int, among members: Int) -> Bool {
    if case .halfOpen(let prober) = phase {
      guard prober == nil, running == 0 else { return false }
      phase = .halfOpen(prober: member)
      return true
    }
    guard let most = allowance(of: member, among: members) else { return true }
    return running < most
  }

  /// Time has passed: a pause may be over.
  package mutating func tick(_ now: Int64) {
    if case .open(let until) = phase, now >= until { phase = .halfOpen(prober: nil) }
  }

  /// The provider did its work, whatever it thought of the message.
  package mutating func succeeded(_ epoch: Int) {
    guard epoch == self.epoch else { return }
    row = 0
    switch phase {
    case .closed, .open: break
    case .halfOpen: phase = .slowStart(limit: 2, successes: 0)
    case .slowStart(let limit, let successes) where successes + 1 < limit:
      phase = .slowStart(limit: limit, successes: successes + 1)
    case .slowStart(let limit, _) where limit < Self.fullSpeed:
      phase = .slowStart(limit: limit * 2, successes: 0)
    case .slowStart:
      phase = .closed
      openings = 0
    }
  }

  /// A fault.
  ///
  /// - Parameters:
  ///   - count: how many requests it kept from being sent.
  ///   - jitter: 0 to 1, so that many processes do not probe in step.
  ///   - wish: what the server asked to wait for, in nanoseconds.
  package mutating func failed(
    _ fault: Fault, _ epoch: Int, count: Int = 1, now: Int64, jitter: Double, wish: Int64 = 0
  ) {
    guard epoch == self.epoch else { return }
    if fault == .lost {
      guard now - lastLoss >= Self.lossInterval else { return }
      lastLoss = now
    }
    if row == 0 { rowSince = now }
    row += max(1, count)
    if opens(fault, now) { open(now, jitter, wish) }
  }

  /// The probe told nothing: it was refused on the way, or answered with a wish for another token.
  package mutating func probeWasVain(_ epoch: Int, now: Int64, jitter: Double) {
    guard epoch == self.epoch, case .halfOpen = phase else { return }
    open(now, jitter, 0)
  }

  /// The probe ended because we stopped: another member may probe.
  package mutating func probeWasGivenUp(by member: Int) {
    if phase == .halfOpen(prober: member) { phase = .halfOpen(prober: nil) }
  }

  private func opens(_ fault: Fault, _ now: Int64) -> Bool {
    switch phase {
    case .open: return false
    case .halfOpen: return true
    case .slowStart: return fault == .auth || row >= min(2, limits.openAfter)
    case .closed: break
    }
    if fault == .auth { return true }
    guard row >= limits.openAfter else { return false }
    switch fault {
    case .server, .silence, .refusal:
      return now - rowSince >= Self.shortestRow || row >= 10 * limits.openAfter
    case .auth, .token, .connect, .tls, .proxy, .lost: return true
    }
  }

  private mutating func open(_ now: Int64, _ jitter: Double, _ wish: Int64) {
    let grown = min(Self.firstPause << Int64(min(openings, 10)), limits.longestPause)
    pause = max(grown - Int64(Double(grown) * 0.25 * jitter), min(wish, Self.longestWish))
    openings += 1
    epoch += 1
    row = 0
    phase = .open(until: now + pause)
  }
}
