/// When the next connection may be tried: pauses of 50 ms growing to 5 s, jittered, without end.
struct Backoff {
  private static let base = 50_000_000.0
  private static let longest = 5_000_000_000.0

  private var failures = 0
  /// Monotonic nanoseconds.
  private(set) var notBefore = Int64.min

  /// `random` in 0..<1 spreads many workers that lost the same server.
  mutating func failed(now: Int64, random: Double) {
    var pause = Self.base
    for _ in 0..<min(failures, 10) { pause *= 2 }
    notBefore = now + Int64(min(pause, Self.longest) * (0.5 + random / 2))
    failures += 1
  }

  /// Only a command that succeeded counts: a server that accepts connections and nothing else must
  /// not be tried without pause.
  mutating func succeeded() { failures = 0 }
}
