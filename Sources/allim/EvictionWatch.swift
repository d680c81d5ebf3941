internal import LoopIO
internal import PushSettings
internal import PushTelemetry
internal import RedisClient
internal import SharedState

/// Reminds operators, where `redis.allowEviction` let the worker start, that Redis may throw keys of
/// the queues away: by a gauge, and in the log at once and then every hour.
final class EvictionWatch {
  private static let hour: Int64 = 3_600_000_000_000

  private let clients: [RedisClient]
  private let metrics: WorkerMetrics
  private let log: Logger
  private let clock: any PushClock
  private var lastWarning: Int64?

  /// `clients` are one for each server that has a queue.
  init(
    _ clients: [RedisClient], _ metrics: WorkerMetrics, _ log: Logger, clock: any PushClock
  ) {
    self.clients = clients
    self.metrics = metrics
    self.log = log
    self.clock = clock
  }

  /// Looks each minute, until the task is cancelled.
  func run(on loop: Loop) async {
    while !Task.isCancelled {
      await look()
      try? await loop.sleep(.seconds(60))
    }
    for client in clients { client.close() }
  }

  private func look() async {
    var policy: String?
    for client in clients {
      // A server that is away or may not be asked says nothing; the start has told of the second.
      let memory = await client.call(RedisCommand("INFO", "memory"))
      policy = policy ?? RedisInfo(memory.text ?? "").evictionOfOurKeys
    }
    metrics.redisMayEvict.set(policy == nil ? 0 : 1)
    let now = clock.monotonic()
    guard let policy, lastWarning.map({ now - $0 >= Self.hour }) ?? true else { return }
    lastWarning = now
    log.warning("redis may throw keys of the queue away", [.detail: .text(policy)])
  }
}
