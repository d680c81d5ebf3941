import SharedState

/// Decides what of Redis' troubles is written: each sentence at once when its cause is a new one,
/// and every ten seconds while it lasts. A worker tries several times a second for hours.
struct TroubleReports {
  private static let interval: Int64 = 10_000_000_000

  enum Sentence: Hashable { case take, join, beat, results }

  private struct Told {
    var code: QueueError.Code
    /// The first word of Redis' message, such as `MISCONF`.
    var word: Substring
    var at: Int64
  }
  private var told: [Sentence: Told] = [:]

  /// True when it is to be written now (monotonic nanoseconds).
  mutating func isDue(_ sentence: Sentence, _ error: QueueError, now: Int64) -> Bool {
    let word = error.detail.prefix { $0 != " " }
    if let last = told[sentence], last.code == error.code, last.word == word,
      now - last.at < Self.interval
    {
      return false
    }
    told[sentence] = Told(code: error.code, word: word, at: now)
    return true
  }
}
