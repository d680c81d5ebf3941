internal import LoopIO
internal import PushProviders
internal import PushTelemetry
internal import SharedState

/// Tells in time that certificates end.
struct ExpiryReminders: Sendable {
  let watch: ExpiryWatch
  let log: Logger
  let clock: SystemClock

  /// Until the task is cancelled.
  func run(on loop: Loop) async {
    var watch = watch
    while !Task.isCancelled {
      watch.warn(clock.wall() / 1_000, log)
      try? await loop.sleep(.seconds(3_600))
    }
  }
}
