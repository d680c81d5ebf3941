/// The pace of one shard's part of a Firebase project's quota (fcm.md 9 and 10), as a value.
///
/// Spread over the minute, never burnt at its start; growing from nothing by a sixtieth of the
/// whole each second, from what was really sent; halved by a 429 that speaks of the quota.
struct QuotaPace: Sendable {
  private static let second: Int64 = 1_000_000_000
  /// What was not used for so long, in nanoseconds, may go together.
  private static let burst = second / 20
  /// Seconds that are remembered: the pace grows from the busiest of them.
  private static let memory = 10
  /// Seconds from nothing to the whole.
  private static let ramp = 60.0

  private let perMinute: Int
  private var parts = 1
  /// Requests a second that may go now.
  private(set) var rate: Double
  /// When the next may go, if requests came evenly.
  private var next = Int64.min / 2
  private var secondStart = Int64.min / 2
  private var sent = 0
  private var busiest: [Int] = []
  private var halvedAt = Int64.min / 2
  private var refused = 0

  init(perMinute: Int) {
    self.perMinute = perMinute
    rate = 0
    rate = floor
  }

  /// Requests a second at full pace.
  var whole: Double { Double(perMinute) / 60 / Double(parts) }

  private var floor: Double { max(whole / Self.ramp, 1) }

  /// How many live shards of all processes send for the project.
  mutating func divide(among parts: Int) { self.parts = max(1, parts) }

  /// Nil when a request may go, which is then counted; else when to ask again.
  mutating func admit(_ now: Int64) -> Int64? {
    turnSecond(now)
    if next > now + Self.burst { return next - Self.burst }
    next = max(next, now) + Int64(Double(Self.second) / max(rate, 0.01))
    sent += 1
    return nil
  }

  /// FCM says that a quota is used up. One device has quotas of its own, so that only a tenth of
  /// what is sent, and more than a few, speaks of the project's.
  mutating func throttled(_ now: Int64) {
    // Those that were under way together are refused together.
    guard now - halvedAt >= Self.second else { return }
    refused += 1
    guard refused >= 5, refused * 10 >= max(sent, busiest.last ?? 0) else { return }
    halvedAt = now
    refused = 0
    rate = max(1, min(rate, whole) / 2)
    busiest = [Int(rate)]
    sent = 0
    secondStart = now
  }

  private mutating func turnSecond(_ now: Int64) {
    guard now - secondStart >= Self.second else { return }
    let passed = (now - secondStart) / Self.second
    busiest.append(sent)
    // Seconds in which nothing came.
    for _ in 1..<min(max(passed, 1), Int64(Self.memory) + 1) { busiest.append(0) }
    if busiest.count > Self.memory { busiest.removeFirst(busiest.count - Self.memory) }
    sent = 0
    refused = 0
    secondStart = now
    rate = min(whole, max(floor, Double(busiest.max() ?? 0) + whole / Self.ramp))
  }
}
