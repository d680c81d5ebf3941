internal import HTTP2

// What a pool tells the breaker, and what the breaker wants of it.
extension BreakerGate {
  func guardPool(_ pool: ConnectionPool) {
    onShut = { [unowned pool] why in pool.giveBackWaiting(because: why) }
    onProbe = { [unowned pool] in pool.connectSoon() }
    // One that answers PING and no request, such as a proxy that lost what is behind it, would keep
    // the credential shut for as long as it stands.
    onSilence = { [unowned pool] in pool.replaceConnections() }
  }

  /// Failures count only while no connection stands: one that stands says that the provider does.
  func note(_ event: HTTP2.ConnectionEvent, of pool: ConnectionPool) {
    switch event {
    case .connectError(let detail): connectFailed(.connect, pool, detail)
    case .tlsError(let detail): connectFailed(.tls, pool, detail)
    case .reset(let detail): connectionLost(detail)
    case .pingTimeout: connectionLost("no answer to PING")
    case .opened, .goAway, .closed, .retired: break
    }
  }

  private func connectFailed(_ fault: Breaker.Fault, _ pool: ConnectionPool, _ detail: String) {
    let pool = pool.snapshot
    if pool.open == 0 { connectFailed(fault, waiting: pool.waiting, detail) }
  }
}
