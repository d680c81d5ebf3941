/// What the worker tells about itself, asked at each request; must not block.
package struct AdminState: Sendable {
  /// Loops turn and takes progress. Redis being down does not fail it.
  package var liveness: @Sendable () async -> AdminReport
  /// Redis takes writes and credentials are loaded.
  package var readiness: @Sendable () async -> AdminReport
  /// Prometheus' text format.
  package var metrics: @Sendable () async -> String

  package init(
    liveness: @escaping @Sendable () async -> AdminReport,
    readiness: @escaping @Sendable () async -> AdminReport,
    metrics: @escaping @Sendable () async -> String
  ) {
    self.liveness = liveness
    self.readiness = readiness
    self.metrics = metrics
  }
}

/// A probe's answer: good is 200, anything else 503. `text` is for people, without secrets.
package struct AdminReport: Sendable {
  package var isGood: Bool
  package var text: String

  package init(isGood: Bool, _ text: String = "") {
    self.isGood = isGood
    self.text = text
  }
}
