package import PushModel

/// The metrics of the worker by name: the one list of them.
///
/// Those without labels are properties; the others are resolved once per app, provider or queue
/// and kept by who counts.
package final class WorkerMetrics: Sendable {
  package let registry: MetricRegistry

  /// From the request's start to its answer.
  package let sendDuration: Histogram
  /// From `sentAt` (else the estimate) to the first attempt.
  package let queueAge: Histogram
  /// What a push waited for a place in a rate window.
  package let rateWait: Histogram
  package let redisRoundTrip: Histogram

  package let recoveredItems: Counter
  package let fencedAcks: Counter
  package let invalidTokensDropped: Counter
  package let textShortened: Counter
  package let textRepaired: Counter
  package let unknownFields: Counter

  package let streamsInUse: Gauge
  package let workers: Gauge
  package let workersBusy: Gauge
  /// UNIX seconds.
  package let lastTake: Gauge
  package let leaseRemaining: Gauge
  package let configReloadSuccess: Gauge
  package let redisMayEvict: Gauge
  /// Ours minus a provider's, by the last answer that made us look.
  package let clockOffset: Gauge

  package init(registry: MetricRegistry = MetricRegistry(), version: String = "") {
    self.registry = registry
    sendDuration = registry.histogram(
      "send_duration_seconds", help: "From the start of a request to its answer.")
    queueAge = registry.histogram(
      "queue_age_seconds", help: "Age of an event at its first attempt.")
    rateWait = registry.histogram(
      "rate_wait_seconds", help: "Waiting for a place in a connection's rate window.")
    redisRoundTrip = registry.histogram(
      "redis_roundtrip_seconds", help: "From a heartbeat's command to its reply.")
    recoveredItems = registry.counter(
      "recovered_items", help: "Items taken back from instances that died.")
    fencedAcks = registry.counter(
      "fenced_acks", help: "Settled items that another instance had taken over.")
    invalidTokensDropped = registry.counter(
      "invalid_tokens_dropped", help: "Feedback records dropped because the list was full.")
    textShortened = registry.counter("text_shortened", help: "Texts cut to fit a payload.")
    textRepaired = registry.counter("text_repaired", help: "Texts with broken Unicode repaired.")
    unknownFields = registry.counter("unknown_fields", help: "Fields of events that were ignored.")
    streamsInUse = registry.gauge("streams_in_use", help: "HTTP/2 streams with a request.")
    workers = registry.gauge("workers", help: "Worker tasks wanted in this process.")
    workersBusy = registry.gauge("workers_busy", help: "Worker tasks with a push.")
    lastTake = registry.gauge(
      "last_take_timestamp_seconds", help: "When Redis last answered a take.")
    leaseRemaining = registry.gauge(
      "lease_remaining_seconds", help: "Until the first of our leases ends.")
    clockOffset = registry.gauge(
      "clock_offset_seconds",
      help: "This machine's clock minus a provider's, when a refusal made it worth a look.")
    configReloadSuccess = registry.gauge(
      "config_reload_success", help: "1 when the last reading of the configuration succeeded.")
    redisMayEvict = registry.gauge(
      "redis_may_evict",
      help: "1 while Redis may throw keys of the queues away, as redis.allowEviction lets it.")
    registry.gauge("build_info", help: "The running version.", ["version": version]).set(1)
  }

  package func pushes(app: String, provider: Provider) -> PushMetrics {
    PushMetrics(registry, app: app, provider: provider)
  }

  package func queue(_ name: String) -> QueueMetrics { QueueMetrics(registry, name) }
}
