import PushModel
import PushTelemetry
import Testing

@Suite struct MetricsTests {
  @Test func `counters gauges and histograms render in Prometheus' text format`() {
    let registry = MetricRegistry()
    let counter = registry.counter(
      "pushes", help: "Pushes.", ["app": "a\"\\\n", "outcome": "dead"])
    counter.add()
    counter.add(2)
    let gauge = registry.gauge("workers", help: "Workers.")
    gauge.set(1.5)
    gauge.add(-0.25)
    registry.gauge("read", help: "Read.") { 7 }
    registry.gauge("absent", help: "Absent.") { nil }
    let expected = """
      # HELP allim_absent Absent.
      # TYPE allim_absent gauge
      # HELP allim_pushes_total Pushes.
      # TYPE allim_pushes_total counter
      allim_pushes_total{app="a\\"\\\\\\n",outcome="dead"} 3
      # HELP allim_read Read.
      # TYPE allim_read gauge
      allim_read 7
      # HELP allim_workers Workers.
      # TYPE allim_workers gauge
      allim_workers 1.25

      """
    #expect(registry.render() == expected)
  }

  @Test func `a histogram counts upwards and measures in seconds`() {
    let registry = MetricRegistry()
    let histogram = registry.histogram("send_duration_seconds", help: "Sending.")
    histogram.record(nanoseconds: 1_000_000)
    histogram.record(.milliseconds(1_500))
    histogram.record(.seconds(7_200))
    let lines = registry.render().split(separator: "\n")
    #expect(lines.contains("allim_send_duration_seconds_bucket{le=\"0.0005\"} 0"))
    #expect(lines.contains("allim_send_duration_seconds_bucket{le=\"0.001\"} 1"))
    #expect(lines.contains("allim_send_duration_seconds_bucket{le=\"2.5\"} 2"))
    #expect(lines.contains("allim_send_duration_seconds_bucket{le=\"3600\"} 2"))
    #expect(lines.contains("allim_send_duration_seconds_bucket{le=\"+Inf\"} 3"))
    #expect(lines.contains("allim_send_duration_seconds_sum 7201.501"))
    #expect(lines.contains("allim_send_duration_seconds_count 3"))
  }

  @Test func `asking twice gives the same handle`() {
    let metrics = WorkerMetrics(version: "1")
    metrics.pushes(app: "chat", provider: .apns).accepted.add(2)
    #expect(metrics.pushes(app: "chat", provider: .apns).accepted.value == 2)
    #expect(metrics.pushes(app: "chat", provider: .fcm).accepted.value == 0)
  }

  @Test func `every name has the prefix and the unit its type asks for`() {
    let metrics = WorkerMetrics(version: "1")
    ProcessMetrics.register(in: metrics.registry)
    _ = metrics.pushes(app: "chat", provider: .fcm)
    metrics.queue("push:messages").deadLetters(.poison).add()
    metrics.rejected(.fcm, reason: "made up", isKnown: false)
    let text = metrics.registry.render()
    for line in text.split(separator: "\n") where line.hasPrefix("# TYPE ") {
      let words = line.split(separator: " ")
      #expect(words[2].hasPrefix("allim_") || words[2].hasPrefix("process_"))
      #expect(words[2].hasSuffix("_total") == (words[3] == "counter"), "\(line)")
    }
    #expect(
      text.contains(
        "allim_dead_letters_total{queue=\"push:messages\",reason=\"poison\"} 1\n"))
    #expect(text.contains("allim_rejections_total{provider=\"fcm\",reason=\"other\"} 1\n"))
    #expect(text.contains("allim_build_info{version=\"1\"} 1\n"))
    #expect(text.contains("\nprocess_resident_memory_bytes "))
  }
}
