extension MetricRegistry.Family {
  func render(into text: inout String) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(type)\n"
    for (labels, handle) in handles.sorted(by: { $0.key < $1.key }) {
      switch handle {
      case .counter(let counter): line("", labels, String(counter.value), &text)
      case .gauge(let gauge): line("", labels, number(gauge.value), &text)
      case .histogram(let histogram): lines(histogram, labels, &text)
      case .read(let read): if let value = read() { line("", labels, number(value), &text) }
      }
    }
  }

  private func lines(_ histogram: Histogram, _ labels: String, _ text: inout String) {
    let cumulative = histogram.cumulative
    let prefix = labels.isEmpty ? "" : labels + ","
    for (bound, count) in zip(histogram.bounds, cumulative) {
      line("_bucket", prefix + "le=\"\(number(Double(bound) / 1e9))\"", String(count), &text)
    }
    // The same number twice, although others count meanwhile: Prometheus wants them equal.
    let count = String(cumulative.last ?? 0)
    line("_bucket", prefix + "le=\"+Inf\"", count, &text)
    line("_sum", labels, number(histogram.sumSeconds), &text)
    line("_count", labels, count, &text)
  }

  private func line(_ suffix: String, _ labels: String, _ value: String, _ text: inout String) {
    text +=
      labels.isEmpty ? "\(name)\(suffix) \(value)\n" : "\(name)\(suffix){\(labels)} \(value)\n"
  }

  private func number(_ value: Double) -> String {
    if value == value.rounded(), abs(value) < 1e15 { return String(Int64(value)) }
    if value.isNaN { return "NaN" }
    return value.isInfinite ? (value < 0 ? "-Inf" : "+Inf") : value.description
  }
}
