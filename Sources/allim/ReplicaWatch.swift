internal import PushTelemetry

/// Says that results have too few replicas: counts each time, warns once a minute.
struct ReplicaWatch {
  private let queue: String
  private let metrics: WorkerMetrics
  private let log: Logger
  private var nextWarning = Int64.min

  init(_ queue: String, _ metrics: WorkerMetrics, _ log: Logger) {
    self.queue = queue
    self.metrics = metrics
    self.log = log
  }

  /// `now` in monotonic nanoseconds.
  mutating func note(replicas: Int, reason: String?, now: Int64) {
    metrics.redisError(.fewReplicas)
    guard now >= nextWarning else { return }
    nextWarning = now + 60_000_000_000
    log.warning(
      "results have fewer replicas than redis.wait asks for",
      [
        .queue: .text(queue), .count: .count(replicas),
        .detail: .text(reason ?? "a fail-over now may repeat pushes"),
      ])
  }
}
