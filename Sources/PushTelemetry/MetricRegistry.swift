internal import SharedState

/// All metrics of the process, rendered in Prometheus' text format (version 0.0.4).
///
/// Asking for a metric that exists gives the existing handle, so that a reload or a second shard
/// goes on counting. Label values must come from closed sets.
package final class MetricRegistry: Sendable {
  package typealias Labels = KeyValuePairs<String, String>
  package typealias Read = @Sendable () -> Double?

  enum Handle: Sendable {
    case counter(Counter)
    case gauge(Gauge)
    case histogram(Histogram)
    case read(Read)
  }

  struct Family: Sendable {
    let name: String
    let help: String
    let type: String
    /// By label text such as `app="chat",provider="fcm"`; empty without labels.
    var handles: [String: Handle] = [:]
  }

  private let families = Guarded<[String: Family]>([:])

  package init() {}

  /// `name` without prefix and without `_total`, which is added.
  package func counter(_ name: String, help: String, _ labels: Labels = [:]) -> Counter {
    let handle = handle(name + "_total", help, "counter", labels) { .counter(Counter()) }
    guard case .counter(let counter) = handle else { return Counter() }
    return counter
  }

  package func gauge(_ name: String, help: String, _ labels: Labels = [:]) -> Gauge {
    let handle = handle(name, help, "gauge", labels) { .gauge(Gauge()) }
    guard case .gauge(let gauge) = handle else { return Gauge() }
    return gauge
  }

  /// `name` ends in `_seconds`.
  package func histogram(_ name: String, help: String, _ labels: Labels = [:]) -> Histogram {
    let handle = handle(name, help, "histogram", labels) { .histogram(Histogram()) }
    guard case .histogram(let histogram) = handle else { return Histogram() }
    return histogram
  }

  /// A gauge that is read when rendered; nil leaves its line out. A later one takes the place of
  /// an earlier with the same labels.
  package func gauge(
    _ name: String, help: String, _ labels: Labels = [:], read: @escaping Read
  ) {
    set(name, help, "gauge", labels, .read(read))
  }

  /// A counter that somebody else keeps, read when rendered.
  package func counter(
    _ name: String, help: String, _ labels: Labels = [:], read: @escaping Read
  ) {
    set(name + "_total", help, "counter", labels, .read(read))
  }

  /// What a gauge stands at; nil when there is none.
  package func value(of gauge: String, _ labels: Labels) -> Double? {
    let (name, labels) = (Self.fullName(gauge), Self.text(labels))
    switch families.withLock({ $0[name]?.handles[labels] }) {
    case .gauge(let gauge): return gauge.value
    case .read(let read): return read()
    case .counter, .histogram, nil: return nil
    }
  }

  package func render() -> String {
    let all = families.withLock { $0 }
    var text = ""
    for family in all.values.sorted(by: { $0.name < $1.name }) { family.render(into: &text) }
    return text
  }

  private func handle(
    _ name: String, _ help: String, _ type: String, _ labels: Labels, make: () -> Handle
  ) -> Handle {
    let (name, labels) = (Self.fullName(name), Self.text(labels))
    return families.withLock { families in
      if let known = families[name]?.handles[labels] { return known }
      let made = make()
      families[name, default: Family(name: name, help: help, type: type)].handles[labels] = made
      return made
    }
  }

  private func set(
    _ name: String, _ help: String, _ type: String, _ labels: Labels, _ handle: Handle
  ) {
    let (name, labels) = (Self.fullName(name), Self.text(labels))
    families.withLock {
      $0[name, default: Family(name: name, help: help, type: type)].handles[labels] = handle
    }
  }

  private static func fullName(_ name: String) -> String {
    name.hasPrefix("process_") ? name : "allim_" + name
  }

  private static func text(_ labels: Labels) -> String {
    labels.map { "\($0.key)=\"\(escaped($0.value))\"" }.joined(separator: ",")
  }

  private static func escaped(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }
}
