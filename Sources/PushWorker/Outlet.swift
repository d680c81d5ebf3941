import PushTelemetry

/// The way out to one credential, with what is known of it.
final class Outlet {
  let provider: any PushProvider
  let metrics: PushMetrics
  /// The brake on invalid tokens.
  let brake: InvalidationBrake
  /// Failures to reach the provider in a row.
  var unreachable = 0

  init(_ provider: any PushProvider, _ metrics: PushMetrics, _ brake: InvalidationBrake) {
    self.provider = provider
    self.metrics = metrics
    self.brake = brake
  }

  /// A push was accepted.
  func accepted() {
    unreachable = 0
    brake.accepted()
    metrics.noteAccepted()
  }
}
