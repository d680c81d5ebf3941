/// Chooses the number of worker tasks from what they do, for `workers: auto`.
///
/// Little's law: pushes in progress = rate × round trip. So many workers, and some for bursts, are
/// enough; more are tried only while work waits and most are busy, and kept only when they brought
/// more pushes a second. Steps are few and large, so that the number does not swing.
package struct WorkerScaler: Sendable {
  /// What a second of the worker was like.
  package struct Look: Sendable {
    /// Worker tasks now.
    package var workers: Int
    package var busy: Int
    /// Targets that wait for a worker.
    package var waiting: Int
    /// Answers since the last look, and the seconds that their sends took together.
    package var answers: Int
    package var sendSeconds: Double
    /// Since the last look.
    package var seconds: Double

    package init(
      workers: Int, busy: Int, waiting: Int, answers: Int, sendSeconds: Double, seconds: Double
    ) {
      self.workers = workers
      self.busy = busy
      self.waiting = waiting
      self.answers = answers
      self.sendSeconds = sendSeconds
      self.seconds = seconds
    }
  }

  /// A raise whose effect is not known yet.
  private struct Trial {
    var from: Int
    var rate: Double
    /// Looks until pushes that began under the old number are through.
    var wait: Int
  }

  private let bounds: ClosedRange<Int>
  private var trial: Trial?
  /// Looks for which nothing is tried, since the last trial brought nothing.
  private var rest = 0
  private var nextRest = Self.firstRest
  private var idleLooks = 0

  private static let firstRest = 30
  private static let longestRest = 300
  /// So many calm looks in a row, and workers are given up.
  private static let patience = 10

  package init(_ bounds: ClosedRange<Int>) { self.bounds = bounds }

  /// The number of workers from now on.
  package mutating func workers(after look: Look) -> Int {
    guard look.seconds > 0 else { return look.workers }
    let rate = Double(look.answers) / look.seconds
    rest = max(0, rest - 1)
    if let next = judge(look, rate) { return next }
    if trial != nil { return look.workers }
    // One credential of several may hold three quarters of the workers.
    if look.waiting > 0, look.busy * 2 >= look.workers { return raised(look, rate) }
    return lowered(look)
  }

  /// Takes back a raise that did not help.
  private mutating func judge(_ look: Look, _ rate: Double) -> Int? {
    guard var trial else { return nil }
    // Somebody else changed the number, or work ran out: nothing can be said.
    guard look.workers > trial.from, look.waiting > 0 else {
      self.trial = nil
      return nil
    }
    trial.wait -= 1
    self.trial = trial
    guard trial.wait <= 0 else { return nil }
    self.trial = nil
    // A doubling that brings a tenth more is a limit of the connections, or of the machine.
    if rate > trial.rate * 1.1 {
      nextRest = Self.firstRest
      return nil
    }
    rest = nextRest
    nextRest = min(nextRest * 2, Self.longestRest)
    return trial.from
  }

  private mutating func raised(_ look: Look, _ rate: Double) -> Int {
    idleLooks = 0
    let next = min(look.workers * 2, bounds.upperBound)
    guard rest == 0, next > look.workers else { return look.workers }
    let roundTrip = look.answers > 0 ? look.sendSeconds / Double(look.answers) : 0
    trial = Trial(from: look.workers, rate: rate, wait: 2 + Int(min(60, roundTrip * 2)))
    return next
  }

  private mutating func lowered(_ look: Look) -> Int {
    let inProgress = max(look.sendSeconds / look.seconds, Double(look.busy))
    let enough = max(bounds.lowerBound, Int((inProgress * 2).rounded(.up)))
    guard enough * 3 < look.workers * 2 else {
      idleLooks = 0
      return min(max(look.workers, bounds.lowerBound), bounds.upperBound)
    }
    idleLooks += 1
    guard idleLooks >= Self.patience else { return look.workers }
    idleLooks = 0
    return max(enough, look.workers / 2)
  }
}
