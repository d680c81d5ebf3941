internal import HTTP2
internal import PushModel
internal import PushTelemetry

/// Counts what happens to a credential's connections, and tells of what an operator may act on.
struct ConnectionJournal {
  private let key: CredentialKey
  private let metrics: WorkerMetrics
  private let logger: Logger

  init(_ key: CredentialKey, _ metrics: WorkerMetrics, _ logger: Logger) {
    self.key = key
    self.metrics = metrics
    self.logger = logger
  }

  func note(_ event: HTTP2.ConnectionEvent) {
    let provider = key.provider
    switch event {
    case .opened: metrics.connection(provider, .opened)
    case .goAway(let code, let debug):
      metrics.connection(provider, .goaway)
      // The server's own words, such as {"reason":"Shutdown"}.
      log("connection told to go away", "\(code) \(debug.prefix(200))")
    case .reset(let detail):
      metrics.connection(provider, .reset)
      log("connection lost", detail)
    case .pingTimeout:
      metrics.connection(provider, .pingTimeout)
      log("connection silent", "no answer to PING")
    case .tlsError(let detail):
      metrics.connection(provider, .tlsError)
      log("no TLS connection", detail)
    case .connectError(let detail):
      log("no connection", detail)
    // Idle connections come and go.
    case .closed, .retired: break
    }
  }

  private func log(_ message: StaticString, _ detail: String) {
    logger.warning(
      message,
      [
        .app: .text(key.app), .provider: .text(key.provider.rawValue),
        .environment: .text(key.environment.rawValue), .detail: .text(detail),
      ])
  }
}
