import SharedState

/// A clock that tests turn by hand; both hands start in 2023.
final class TurnedClock: PushClock {
  private let hands = Guarded((monotonic: Int64(1_000_000_000), wall: Int64(1_700_000_000_000)))

  func monotonic() -> Int64 { hands.withLock { $0.monotonic } }
  func wall() -> Int64 { hands.withLock { $0.wall } }

  /// Both hands go on.
  func pass(minutes: Double = 0, seconds: Double = 0) {
    let milliseconds = Int64((minutes * 60 + seconds) * 1_000)
    hands.withLock {
      $0.monotonic += milliseconds * 1_000_000
      $0.wall += milliseconds
    }
  }

  /// Someone sets the wall clock.
  func setWall(by minutes: Int64) { hands.withLock { $0.wall += minutes * 60_000 } }
}
