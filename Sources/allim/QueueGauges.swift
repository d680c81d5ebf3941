internal import LoopIO
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import RedisClient
internal import SharedState

/// Keeps the gauges of the queues: every process shows the same figures, so a look each five
/// seconds is enough.
struct QueueGauges: Sendable {
  private let queues: [String]
  private let metrics: WorkerMetrics

  init(_ queues: [String], _ metrics: WorkerMetrics) {
    self.queues = queues
    self.metrics = metrics
  }

  /// Until the task is cancelled.
  func run(_ redis: Settings.Redis, on loop: Loop) async {
    // A URL that cannot be used has been refused before.
    let clients = (try? redis.clients(for: queues, on: loop)) ?? []
    var ages: [String: OldestAge] = [:]
    var dropped: [String: Int] = [:]
    while !Task.isCancelled {
      for (queue, client) in zip(queues, clients) {
        await look(queue, client, &ages[queue, default: OldestAge()], &dropped[queue, default: 0])
      }
      try? await loop.sleep(.seconds(5))
    }
    for client in clients { client.close() }
  }

  /// Redis being away shows in other metrics; the figures stay as they were.
  private func look(
    _ queue: String, _ client: RedisClient, _ age: inout OldestAge, _ dropped: inout Int
  ) async {
    guard let inspector = try? QueueInspector(queue, client),
      let stats = try? await inspector.stats()
    else { return }
    let gauges = metrics.queue(queue)
    gauges.ready.set(stats.ready)
    let oldest = age.note(
      time: client.clock.monotonic() / 1_000_000,
      taken: stats.counters[QueueCounter.taken, default: 0], ready: stats.ready)
    gauges.oldestAge.set(Double(oldest) / 1_000)
    gauges.delayed.set(stats.delayed)
    gauges.inflight.set(stats.inFlight)
    gauges.deadLetters.set(stats.dead)
    gauges.deadLettersWaiting.set(stats.counters[QueueCounter.deadWaiting, default: 0])
    gauges.invalidTokens.set(stats.invalid)
    // Counted in Redis by whoever dropped them.
    let total = stats.counters[QueueCounter.deadDropped, default: 0]
    gauges.deadLettersDropped.add(max(0, total - dropped))
    dropped = total
  }
}
