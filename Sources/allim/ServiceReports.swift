internal import LoopIO
internal import PushWorker

/// Keeps the service manager informed while the worker runs.
struct ServiceReports: Sendable {
  let notifier: ServiceNotifier
  /// The worker in charge; it changes when the configuration is read again.
  let worker: @Sendable () -> Worker?

  /// Until the task is cancelled. A loop that does not answer holds this up, so that the watchdog
  /// ends the process.
  func run(on loop: Loop) async {
    guard notifier.isHeard else { return }
    // Two may be lost before the time is over.
    let interval = min(notifier.watchdog.map { $0 / 3 } ?? .seconds(5), .seconds(5))
    var last = ""
    while !Task.isCancelled {
      let state = await look()
      if notifier.watchdog != nil { notifier.alive() }
      if state != last { notifier.status(state) }
      last = state
      try? await loop.sleep(interval)
    }
  }

  private func look() async -> String {
    var (lanes, busy, trouble) = (0, 0, "")
    var isPaused = false
    for shard in worker()?.shards ?? [] {
      let state = await shard.snapshot()
      lanes += state.lanes
      busy += state.busy
      isPaused = isPaused || state.isPaused
      if let found = state.trouble { trouble = found.detail }
    }
    if !trouble.isEmpty { return "redis: \(trouble)" }
    if lanes == 0 { return "starting" }
    return isPaused ? "paused" : "\(busy) of \(lanes) workers busy"
  }
}
