import PushModel
import PushTelemetry
import Testing

/// The names and labels that dashboards and alerts are built upon.
@Suite struct MetricNamesTests {
  private static let table: [String: Set<String>] = [
    "pushes_total": ["app", "provider", "outcome"],
    "attempts_total": ["app", "provider", "status_class"],
    "rejections_total": ["provider", "reason"], "retries_total": ["provider", "cause"],
    "send_duration_seconds": [], "queue_age_seconds": [], "rate_wait_seconds": [],
    "queue_ready_items": ["queue"], "queue_delayed_items": ["queue"],
    "queue_inflight_items": ["queue"], "queue_oldest_age_seconds": ["queue"],
    "parked_items": ["app", "provider"], "dead_letters": ["queue"],
    "dead_letters_total": ["queue", "reason"], "dead_letters_dropped_total": ["queue"],
    "invalid_tokens": ["queue"], "invalid_tokens_total": ["provider", "reason"],
    "invalid_tokens_dropped_total": [], "mass_invalidation_brake": ["app", "provider"],
    "recovered_items_total": [], "fenced_acks_total": [],
    "connections": ["app", "provider", "state"],
    "connection_events_total": ["provider", "event"], "streams_in_use": [], "workers": [],
    "workers_busy": [], "provider_tokens_made_total": ["app", "provider"],
    "redis_roundtrip_seconds": [], "redis_errors_total": ["kind"],
    "last_take_timestamp_seconds": [], "lease_remaining_seconds": [],
    "breaker_open": ["app", "provider"], "credential_expiry_timestamp_seconds": ["app", "kind"],
    "text_shortened_total": [], "text_repaired_total": [], "unknown_fields_total": [],
    "config_reload_success": [], "build_info": ["version"],
  ]

  /// Everything that a worker counts, once.
  private func everything() -> WorkerMetrics {
    let metrics = WorkerMetrics(version: "1.0")
    for provider in Provider.allCases {
      _ = metrics.pushes(app: "chat", provider: provider)
      metrics.rejected(provider, reason: "Unregistered", isKnown: true)
      for event in WorkerMetrics.ConnectionEvent.allCases { metrics.connection(provider, event) }
      for cause in WorkerMetrics.RetriedBecause.allCases {
        metrics.retried(provider, cause: cause)
      }
      metrics.invalidToken(provider, reason: "Unregistered", isKnown: true)
    }
    for kind in WorkerMetrics.RedisErrorKind.allCases { metrics.redisError(kind) }
    metrics.credentialExpires(app: "chat", kind: .certificate, at: 1)
    _ = metrics.queue("push:messages")
    return metrics
  }

  @Test func `every name is there with its labels`() {
    var found: [String: Set<String>] = [:]
    for line in everything().registry.render().split(separator: "\n") where !line.hasPrefix("#") {
      let name = line.prefix { $0 != "{" && $0 != " " }.dropFirst("allim_".count)
      let labels = line.split(separator: "{").dropFirst().first?.split(separator: "}")[0] ?? ""
      let names = labels.split(separator: ",").map { String($0.prefix { $0 != "=" }) }
      let family = ["_bucket", "_sum", "_count"].reduce(String(name)) {
        $0.hasSuffix("_seconds" + $1) ? String($0.dropLast($1.count)) : $0
      }
      found[family, default: []].formUnion(names.filter { $0 != "le" })
    }
    for (name, labels) in Self.table { #expect(found[name] == labels, "\(name)") }
  }

  @Test func `a provider's new words cannot grow a label's set`() {
    let metrics = WorkerMetrics()
    for number in 0..<1_000 {
      metrics.rejected(.apns, reason: "New\(number)", isKnown: false)
      metrics.invalidToken(.fcm, reason: "New\(number)", isKnown: false)
    }
    let lines = metrics.registry.render().split(separator: "\n")
    #expect(lines.contains(#"allim_rejections_total{provider="apns",reason="other"} 1000"#))
    #expect(lines.contains(#"allim_invalid_tokens_total{provider="fcm",reason="other"} 1000"#))
    #expect(lines.filter { $0.hasPrefix("allim_rejections_total{") }.count == 1)
  }

  @Test func `a span of a histogram has its own quantiles`() {
    let histogram = WorkerMetrics().sendDuration
    for _ in 0..<100 { histogram.record(.seconds(5)) }
    let before = histogram.counts
    #expect(histogram.counts.since(before).quantile(0.5) == nil)
    for _ in 0..<99 { histogram.record(.milliseconds(2)) }
    histogram.record(.seconds(30))
    let span = histogram.counts.since(before)
    let (half, most) = (span.quantile(0.5) ?? 0, span.quantile(0.999) ?? 0)
    #expect(half > 0.000_5 && half < 0.005, "\(half)")
    #expect(most > 10 && most < 61, "\(most)")
    #expect((histogram.counts.quantile(0.5) ?? 0) > 0.002)
  }

  @Test func `what a gauge stands at can be read, of a counter and of nothing not`() {
    let metrics = everything()
    #expect(metrics.credentialExpiry(app: "chat") == 1)
    #expect(metrics.credentialExpiry(app: "other") == nil)
    #expect(metrics.registry.value(of: "workers", [:]) == 0)
    #expect(metrics.registry.value(of: "text_shortened_total", [:]) == nil)
  }
}
