internal import LoopIO
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import SharedState

/// What one reading of the configuration brought to life: a worker with its connections and keys.
/// The next one begins beside it and then this one is drained, so that no push is lost and none
/// sent twice.
final class Generation: Sendable {
  let settings: Settings
  let worker: Worker
  let count: WorkerCount
  private let control: Loop
  private let end = Guarded(false)
  private let gauges: QueueGauges
  private let expiries: ExpiryReminders

  init(
    _ settings: Settings, _ worker: Worker, _ count: WorkerCount, _ gauges: QueueGauges,
    _ expiries: ExpiryReminders, on control: Loop
  ) {
    self.settings = settings
    self.worker = worker
    self.count = count
    self.control = control
    self.gauges = gauges
    self.expiries = expiries
  }

  var hasEnded: Bool { end.withLock { $0 } }

  /// Works until it is stopped; then everything of it has ended.
  func run() async {
    let (control, count, gauges, settings) = (control, count, gauges, settings)
    let expiries = expiries
    // All are cancelled below and waited for.
    let counting = Task(executorPreference: control) { await count.run() }
    let gauging = Task(executorPreference: control) {
      await gauges.run(settings.redis, on: control)
    }
    let reminding = Task(executorPreference: control) { await expiries.run(on: control) }
    await worker.run()
    counting.cancel()
    gauging.cancel()
    reminding.cancel()
    await counting.value
    await gauging.value
    await reminding.value
    for shard in worker.shards { shard.loop.stop() }
    end.withLock { $0 = true }
  }

  /// True once all shards can take; false when one cannot for so long.
  func serves(within limit: Duration) async -> Bool {
    let end = ContinuousClock.now + limit
    while await trouble() != nil {
      if ContinuousClock.now >= end { return false }
      try? await control.sleep(.milliseconds(20))
    }
    return true
  }

  /// What keeps a shard from its list; nil = nothing.
  func trouble() async -> String? {
    for shard in worker.shards {
      if let trouble = await shard.snapshot().trouble { return trouble.detail }
    }
    return nil
  }
}
