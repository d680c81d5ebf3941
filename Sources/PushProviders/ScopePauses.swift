internal import PushModel
package import SharedState
internal import Synchronization

/// Parts of a credential that the provider refuses while the rest works: a topic of APNs, or the
/// Apple and web targets of a Firebase project. As a value.
///
/// A refused part rests for a while; then one request tries again. Without this every target of
/// the part would be refused by the provider itself, and APNs slows a sender down for that
/// (apns.md 8).
struct ScopePauses: Sendable {
  /// Until the next try, in nanoseconds, and the longest such pause.
  static let first: Int64 = 15_000_000_000
  static let longest: Int64 = 60_000_000_000
  /// Topics come from configuration and from events: more are not remembered.
  static let most = 64

  private struct Pause: Sendable {
    var until: Int64
    var length: Int64
    var refusedAt: Int64
  }

  private var pauses: [[UInt8]: Pause] = [:]

  var isEmpty: Bool { pauses.isEmpty }

  /// True when a request of the part may go; after a pause the first is told so, and no other
  /// until it has ended or as much time has passed again.
  mutating func admits(_ part: [UInt8], now: Int64) -> Bool {
    guard let pause = pauses[part] else { return true }
    guard now >= pause.until else { return false }
    pauses[part]?.until = now + pause.length
    return true
  }

  mutating func refused(_ part: [UInt8], now: Int64) {
    let known = pauses[part]
    if known == nil, pauses.count >= Self.most { return }
    let length = min(known.map { $0.length * 2 } ?? Self.first, Self.longest)
    // Those that were under way together are refused together, and count once.
    if let known, now - known.refusedAt < Self.first / 2 { return }
    pauses[part] = Pause(until: now + length, length: length, refusedAt: now)
  }

  mutating func accepted(_ part: [UInt8]) { pauses[part] = nil }
}

/// The pauses of one credential, shared by all shards. In peace a push costs an atomic load.
package final class SharedScopePauses: Sendable {
  private let pauses = Guarded(ScopePauses())
  private let isQuiet = Atomic<Bool>(true)
  private let clock: any PushClock

  package init(clock: any PushClock) { self.clock = clock }

  func admits(_ part: @autoclosure () -> [UInt8]?) -> Bool {
    if isQuiet.load(ordering: .relaxed) { return true }
    guard let part = part() else { return true }
    let now = clock.monotonic()
    return pauses.withLock { $0.admits(part, now: now) }
  }

  func note(_ verdict: Verdict, _ part: @autoclosure () -> [UInt8]?) {
    switch verdict {
    case .pauseCredential(.topic), .pauseCredential(.appleAndWeb):
      guard let part = part() else { return }
      let now = clock.monotonic()
      pauses.withLock {
        $0.refused(part, now: now)
        isQuiet.store($0.isEmpty, ordering: .relaxed)
      }
    case .accepted, .invalidToken, .deadLetter, .retry(.throttled):
      if isQuiet.load(ordering: .relaxed) { return }
      guard let part = part() else { return }
      pauses.withLock {
        $0.accepted(part)
        isQuiet.store($0.isEmpty, ordering: .relaxed)
      }
    case .retry, .refreshAuth, .pauseCredential(.credential): break
    }
  }

  /// What a request answers that may not go.
  static let refusal = SendOutcome.neverSent(
    SendTrouble(.paused, "the provider refuses this topic or kind of target for now"))
}
