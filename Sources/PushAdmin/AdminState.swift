/// What the worker tells about itself and lets an operator do, asked at each request; must not
/// block.
package struct AdminState: Sendable {
  /// Loops turn and takes progress. Redis being down does not fail it.
  package var liveness: @Sendable () async -> AdminReport
  /// Redis takes writes and credentials are loaded.
  package var readiness: @Sendable () async -> AdminReport
  /// Prometheus' text format.
  package var metrics: @Sendable () async -> String
  /// The JSON API. Access has been checked.
  package var perform: @Sendable (AdminOperation, AdminRequest) async -> AdminReply
  /// A changing call has ended with this status, or was refused with it.
  package var audit: @Sendable (AdminOperation, AdminRequest, Int) -> Void

  package init(
    liveness: @escaping @Sendable () async -> AdminReport,
    readiness: @escaping @Sendable () async -> AdminReport,
    metrics: @escaping @Sendable () async -> String,
    perform: @escaping @Sendable (AdminOperation, AdminRequest) async -> AdminReply = { _, _ in
      .notFound
    },
    audit: @escaping @Sendable (AdminOperation, AdminRequest, Int) -> Void = { _, _, _ in }
  ) {
    self.liveness = liveness
    self.readiness = readiness
    self.metrics = metrics
    self.perform = perform
    self.audit = audit
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
