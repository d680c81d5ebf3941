/// Requests of the last second, and the most that ever fell into one second.
///
/// Exact for every window, wherever it begins: it remembers each moment of the last second with
/// its number of requests. What was read from the socket at once has one moment.
struct RateWindow {
  private struct Moment {
    let at: Int64
    var count: Int
  }

  private static let length: Int64 = 1_000_000_000
  private var moments: [Moment] = []
  private var first = 0
  private(set) var current = 0
  private(set) var largest = 0

  /// Counts one request at `now` (nanoseconds, never going back); says how many the second that
  /// ends now holds.
  mutating func note(at now: Int64) -> Int {
    while first < moments.count, moments[first].at <= now - Self.length {
      current -= moments[first].count
      first += 1
    }
    if first > 1_024, first * 2 > moments.count {
      moments.removeFirst(first)
      first = 0
    }
    if first < moments.count, moments[moments.count - 1].at == now {
      moments[moments.count - 1].count += 1
    } else {
      moments.append(Moment(at: now, count: 1))
    }
    current += 1
    largest = max(largest, current)
    return current
  }
}
