package import PushTelemetry

/// Finds out whether this machine's clock is the reason for a refusal: by the `Date` of the answer.
///
/// Tokens carry the time of their making, and both Apple and Google refuse those of a wrong clock
/// in words that do not name it (apns.md 5.2, fcm.md 4).
package final class ClockWatch: Sendable {
  /// A smaller difference refuses no token; answers and clocks may be some seconds apart.
  static let tolerance: Int64 = 30_000

  private let offset: Gauge?
  private let logger: Logger?

  package init(_ metrics: WorkerMetrics? = nil, _ logger: Logger? = nil) {
    offset = metrics?.clockOffset
    self.logger = logger
  }

  /// - Parameters:
  ///   - date: the answer's `Date`, when it had one.
  ///   - wall: our clock at the answer, UNIX milliseconds.
  /// - Returns: a sentence for people.
  func judge(_ date: [UInt8]?, wall: Int64) -> String {
    guard let date, let theirs = HTTPDate.seconds(String(decoding: date.prefix(64), as: UTF8.self))
    else { return "is this machine's clock right?" }
    let ours = wall - theirs * 1_000
    offset?.set(Double(ours) / 1_000)
    guard abs(ours) >= Self.tolerance else { return "" }
    let words = "this machine's clock is \(abs(ours) / 1_000) s \(ours < 0 ? "slow" : "fast")"
    logger?.error("the clock is wrong", [.detail: .text(words)])
    return words
  }
}
