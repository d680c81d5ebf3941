import LoopIO

/// The longest time for which the simulator's own loop did not turn: without it nobody could tell
/// a sender's bunching from the receiver's.
final class StallWatch {
  private static let interval: Int64 = 10_000_000
  private let now: () -> Int64
  private var expected: Int64 = 0
  private var timer: LoopTimer?
  /// Nanoseconds.
  private(set) var longest: Int64 = 0

  init(on loop: Loop, now: @escaping () -> Int64) {
    self.now = now
    timer = LoopTimer(on: loop) { [unowned self] in tick() }
  }

  /// Begins when the ports are open: making keys is no stall.
  func start() { arm() }

  private func arm() {
    expected = now() + Self.interval
    timer?.arm(afterNanoseconds: Self.interval)
  }

  private func tick() {
    longest = max(longest, now() - expected)
    arm()
  }

  func reset() { longest = 0 }

  func cancel() { timer?.cancel() }
}
