/// When a pool opens connections.
struct GrowthPlan {
  /// A request waits for so long before another connection is thought of: shorter waits are the
  /// pace of the rate window.
  static let patience: Int64 = 20_000_000
  /// At most doubling in each of these.
  static let step: Int64 = 100_000_000
  /// First and longest pause after failed connects.
  static let firstPause: Int64 = 1_000_000_000
  static let longestPause: Int64 = 15_000_000_000

  /// What the pool looks like.
  struct View {
    var open = 0
    var connecting = 0
    var waiting = 0
    /// Since when the request waits that has waited longest.
    var waitingSince = Int64.max
    /// Requests came lately: the connections kept at least are worth having.
    var isActive = false
  }

  private let least: Int
  private let most: Int
  private(set) var failures = 0
  private var pausedUntil = Int64.min
  private var lastGrowth = Int64.min / 2

  init(least: Int, most: Int) {
    self.least = min(least, most)
    self.most = most
  }

  /// How many to open now; the caller opens them.
  mutating func connectionsToOpen(at now: Int64, _ view: View) -> Int {
    let standing = view.open + view.connecting
    guard standing < most, due(view) <= now else { return 0 }
    if failures > 0 { return 1 }
    if standing < least && (view.isActive || view.waiting > 0) { return least - standing }
    if standing == 0 { return 1 }
    lastGrowth = now
    return max(0, min(view.open - view.connecting, view.waiting, most - standing))
  }

  /// When to ask again, if nothing happens before; nil = no connection is wanted.
  func nextLook(_ view: View) -> Int64? {
    let due = due(view)
    return due == .max ? nil : due
  }

  /// The moment from which the next connection may be opened.
  private func due(_ view: View) -> Int64 {
    let standing = view.open + view.connecting
    if standing >= most { return .max }
    if failures > 0 && view.connecting > 0 { return .max }
    let needed = standing < max(1, least) && (view.waiting > 0 || view.isActive && least > 0)
    if needed { return failures > 0 ? pausedUntil : .min }
    guard view.waiting > 0, view.open > view.connecting else { return .max }
    let grown = max(view.waitingSince + Self.patience, lastGrowth + Self.step)
    return failures > 0 ? max(grown, pausedUntil) : grown
  }

  /// A connect failed, or a connection ended before it answered anything. `jitter`: 0 to 1, so
  /// that many processes don't come back in the same moment. Those that fail together, such as all
  /// connections to a server that went away, count once.
  mutating func failed(at now: Int64, jitter: Double) {
    if failures > 0 && now < pausedUntil { return }
    let pause = min(Self.firstPause << Int64(min(failures, 10)), Self.longestPause)
    failures += 1
    pausedUntil = now + pause + Int64(Double(pause) * 0.25 * jitter)
  }

  /// Somebody else has waited long enough.
  mutating func endPause() { pausedUntil = .min }

  /// A connection answered a request.
  mutating func succeeded() { failures = 0 }
}
