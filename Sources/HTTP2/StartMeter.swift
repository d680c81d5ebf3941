/// The largest number of starts in any one second, from stamps in order: what the sender says of
/// itself beside what `RateWindow` promises.
struct StartMeter {
  private(set) var largest = 0
  /// More in a second than this is reported as this; the promise is 100.
  private static let capacity = 256
  private var stamps: [Int64] = []
  private var newest = -1
  private var count = 0

  mutating func started(at now: Int64) {
    if stamps.isEmpty { stamps = [Int64](repeating: 0, count: Self.capacity) }
    while count > 0 && (now - stamps[index(back: count - 1)] >= 1_000_000_000) { count -= 1 }
    newest = (newest + 1) % Self.capacity
    stamps[newest] = now
    count = min(count + 1, Self.capacity)
    largest = max(largest, count)
  }

  private func index(back: Int) -> Int { (newest - back + Self.capacity) % Self.capacity }
}
