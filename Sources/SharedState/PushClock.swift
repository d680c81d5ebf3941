internal import Glibc

/// The one seam through which time is read, so that tests can turn it by hand.
package protocol PushClock: Sendable {
  /// Nanoseconds of a clock that never jumps and that goes on while the machine sleeps.
  func monotonic() -> Int64
  /// UNIX time in milliseconds, only where a provider or a contract wants a date.
  func wall() -> Int64
}

/// The machine's clocks: CLOCK_BOOTTIME counts suspension, so a woken worker sees its lease over.
package struct SystemClock: PushClock {
  package init() {}

  package func monotonic() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &now)
    return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
  }

  package func wall() -> Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec) * 1_000 + Int64(now.tv_nsec) / 1_000_000
  }
}
