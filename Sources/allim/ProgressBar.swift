internal import SharedState

/// How far a long command is, on standard error, where a person looks at it and nowhere else.
struct ProgressBar {
  private let isWatched = Console.hasErrorsWatched
  private let clock = SystemClock()
  private var started: Int64 = 0
  private var shownAt: Int64 = 0
  private var isShown = false
  /// Of the first show, since the rate is of this run alone.
  private var first: Int?

  mutating func begin() {
    started = clock.monotonic()
    first = nil
  }

  /// - Parameter part: 0 to 1; nil when nobody knows how much there is.
  mutating func show(_ what: String, count: Int, part: Double?) {
    let now = clock.monotonic()
    first = first ?? count
    // Often enough to be smooth, seldom enough to cost nothing; short work shows nothing.
    guard isWatched, now - started > 300_000_000, now - shownAt > 100_000_000 else { return }
    shownAt = now
    isShown = true
    let seconds = Double(now - started) / 1e9
    Console.overwrite(
      Self.line(what, count, part, seconds: seconds, rate: Double(count - (first ?? 0)) / seconds))
  }

  /// Takes the bar away, so that another line can be written.
  mutating func end() {
    if isShown { Console.overwrite("") }
    isShown = false
  }

  /// Fits 80 columns.
  private static func line(
    _ what: String, _ count: Int, _ part: Double?, seconds: Double, rate: Double
  ) -> String {
    let figures = "\(count) \(what), \(Int(rate))/s"
    guard let part = part.map({ min(1, max(0, $0)) }) else { return figures }
    let filled = Int(part * 30)
    let bar = String(repeating: "#", count: filled) + String(repeating: ".", count: 30 - filled)
    var line = "[\(bar)] \(Int(part * 100))% \(figures)"
    if part > 0.01, seconds > 1 { line += ", \(Int(seconds / part - seconds))s left" }
    return line
  }
}
