import Glibc
import SharedState

/// The simulator's clocks. Its wall clock can be set apart from the machine's, to see what a
/// client does with tokens that are too old or from the future.
struct SimulatorClock {
  /// Seconds ahead of the machine.
  var offset: Int64

  private let system = SystemClock()

  init(offset: Int64) { self.offset = offset }

  /// Nanoseconds that never go back.
  func monotonic() -> Int64 { system.monotonic() }

  /// UNIX seconds, with the offset.
  func seconds() -> Int64 { system.wall() / 1_000 + offset }

  /// The machine's UNIX time in microseconds of an earlier `moment` of the monotonic clock: the
  /// offset is not in it, so that it can be compared with what a sender noted.
  func microseconds(of moment: Int64) -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let nanoseconds = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    return (nanoseconds - (monotonic() - moment)) / 1_000
  }
}
