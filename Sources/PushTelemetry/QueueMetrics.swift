package import PushModel

/// The handles of one queue. Every process exports the same gauges: dashboards use their maximum.
package struct QueueMetrics: Sendable {
  package let ready: Gauge
  package let delayed: Gauge
  package let inflight: Gauge
  package let oldestAge: Gauge
  package let deadLetters: Gauge
  package let invalidTokens: Gauge
  package let deadLettersWaiting: Gauge
  package let deadLettersDropped: Counter
  private let dead: [DeadReason: Counter]

  init(_ registry: MetricRegistry, _ queue: String) {
    func gauge(_ name: String, _ help: String) -> Gauge {
      registry.gauge(name, help: help, ["queue": queue])
    }
    ready = gauge("queue_ready_items", "Items that may be taken.")
    delayed = gauge("queue_delayed_items", "Retries and scheduled events.")
    inflight = gauge("queue_inflight_items", "Items that instances hold.")
    oldestAge = gauge("queue_oldest_age_seconds", "Estimated age of the head of the list.")
    deadLetters = gauge("dead_letters", "Dead letters in the list.")
    invalidTokens = gauge("invalid_tokens", "Tokens in the feedback list.")
    deadLettersDropped = registry.counter(
      "dead_letters_dropped",
      help: "Dead letters dropped since the list was full or they were too old.",
      ["queue": queue])
    deadLettersWaiting = gauge(
      "dead_letters_waiting", "Dead letters that found the list full and wait for room.")
    dead = Dictionary(
      uniqueKeysWithValues: DeadReason.allCases.map { reason in
        let counter = registry.counter(
          "dead_letters", help: "Dead letters written, by reason.",
          ["queue": queue, "reason": reason.rawValue])
        return (reason, counter)
      })
  }

  /// `dead_letters_total` of a reason.
  package func deadLetters(_ reason: DeadReason) -> Counter { dead[reason] ?? Counter() }
}
