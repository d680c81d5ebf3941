/// When a pool has more connections than it needs.
///
/// Each interval says how many would have been enough at half their capacity; what was too many in
/// every one of several intervals in a row goes. Opening and closing often can be taken for an
/// attack (apns.md 12), so this is slow on purpose.
struct RetirementWatch {
  /// Length of an interval, and how many make a minute.
  static let interval: Int64 = 10_000_000_000
  static let intervals = 6

  /// What one interval saw.
  struct Use {
    var open = 0
    var starts = 0
    var mostStreams = 0
    var hadWaiting = false
  }

  private let least: Int
  private let startsPerConnection: Int
  private let streamsPerConnection: Int
  private var quietIntervals = 0
  private var excess = Int.max

  /// `rate`: starts per second and connection, 0 = no limit.
  init(least: Int, rate: Int, streams: Int) {
    self.least = max(0, least)
    let perInterval = Double(rate) * Double(Self.interval) / 2e9
    startsPerConnection = rate == 0 ? .max : max(1, Int(perInterval))
    streamsPerConnection = max(1, streams / 2)
  }

  /// How many connections to end now.
  mutating func intervalEnded(_ use: Use) -> Int {
    let surplus = use.hadWaiting ? 0 : use.open - needed(use)
    guard surplus > 0 else {
      (quietIntervals, excess) = (0, .max)
      return 0
    }
    quietIntervals += 1
    excess = min(excess, surplus)
    guard quietIntervals >= Self.intervals else { return 0 }
    defer { (quietIntervals, excess) = (0, .max) }
    return excess
  }

  private func needed(_ use: Use) -> Int {
    max(
      least, parts(use.starts, of: startsPerConnection),
      parts(use.mostStreams, of: streamsPerConnection))
  }

  private func parts(_ count: Int, of size: Int) -> Int {
    count == 0 ? 0 : (count - 1) / size + 1
  }
}
