internal import SharedState
internal import Synchronization

/// A clock that a test turns by hand.
package final class ManualClock: PushClock {
  private let nanoseconds: Atomic<Int64>
  private let start: Int64

  /// `wall` is the UNIX time in milliseconds at the start; the monotonic clock begins at 1 s.
  package init(wall: Int64 = 1_764_489_600_000) {
    start = wall
    nanoseconds = Atomic(1_000_000_000)
  }

  package func monotonic() -> Int64 { nanoseconds.load(ordering: .relaxed) }

  package func wall() -> Int64 { start + (monotonic() - 1_000_000_000) / 1_000_000 }

  package func advance(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    nanoseconds.add(seconds * 1_000_000_000 + attoseconds / 1_000_000_000, ordering: .relaxed)
  }
}
