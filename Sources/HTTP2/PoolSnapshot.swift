/// A pool at one moment, for metrics and the admin page.
package struct PoolSnapshot: Sendable, Equatable {
  /// Connections that take requests.
  package var open = 0
  package var connecting = 0
  /// Connections that take no new request and wait for their last answers.
  package var draining = 0
  package var streamsInUse = 0
  /// Requests that wait for a stream or for a place in a rate window.
  package var waiting = 0
  /// Since the pool was made.
  package var events = ConnectionEventCounts()
  /// Most starts that one connection made in any second, by our own stamps; 0 without a limit.
  package var largestStartsInAnySecond = 0
  package var starts = 0
  /// Of the connections opened, those that resumed a TLS session.
  package var resumed = 0
  /// Failed connects in a row; 0 after a connection's first answer.
  package var failures = 0
  /// The last failed connect, for `doctor` and the page; "" when none failed.
  package var lastFailure = ""

  package init() {}
}

package struct ConnectionEventCounts: Sendable, Equatable {
  package var opened = 0
  package var goAway = 0
  package var reset = 0
  package var pingTimeout = 0
  package var tlsError = 0
  package var connectError = 0
  package var closed = 0
  package var retired = 0

  package init() {}

  mutating func count(_ event: ConnectionEvent) {
    switch event {
    case .opened: opened += 1
    case .goAway: goAway += 1
    case .reset: reset += 1
    case .pingTimeout: pingTimeout += 1
    case .tlsError: tlsError += 1
    case .connectError: connectError += 1
    case .closed: closed += 1
    case .retired: retired += 1
    }
  }
}

/// Something that happened to a connection of a pool; details are for logs.
package enum ConnectionEvent: Sendable, Equatable {
  case opened
  /// The peer's GOAWAY with its error code and debug data (APNs: JSON with `reason`).
  case goAway(code: UInt32, debug: String)
  /// The peer cut it, with or without requests on it, or broke the protocol.
  case reset(String)
  /// No answer to our PING: taken for dead.
  case pingTimeout
  case tlsError(String)
  case connectError(String)
  /// The peer ended it in order.
  case closed
  /// We ended it: idle, replaced, out of stream ids or shut down.
  case retired
}
