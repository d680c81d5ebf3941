/// What became of one request. The three are kept apart because retrying depends on nothing else.
package enum RequestOutcome: Sendable {
  /// The server did not process it: it never left, its stream was refused (RFC 9113 8.7), or it
  /// stood above the last stream id of a GOAWAY (6.8). Sending it again doubles nothing.
  case neverSent(RequestTrouble)
  /// A status came back, whatever happened to the stream after it.
  case answered(HTTP2Response)
  /// It left, and no status came: it may have been processed.
  case unknown(RequestTrouble)
}

/// Why no answer came; `detail` is for a log and holds no byte of the request.
package struct RequestTrouble: Error, Sendable, Equatable {
  package enum Kind: String, Sendable {
    /// No connection could be made in time; `detail` names the step that failed.
    case noConnection
    /// As `noConnection`, where TLS failed: trust, name, date, ALPN or handshake.
    case tls
    /// As `noConnection`, where the proxy is the reason.
    case proxy
    /// Connections stand, but none had a free stream or a place in its rate window in time.
    case noPlace
    /// REFUSED_STREAM, also after the pool has sent it again itself.
    case refused
    /// Above the last stream id of a GOAWAY; `detail` holds its debug data.
    case goAway
    /// RST_STREAM, or a stream that ended without a status.
    case reset
    /// The connection was lost.
    case closed
    /// No answer before the deadline.
    case timeout
    /// The pool was shut down before the request left.
    case shutDown
  }

  package let kind: Kind
  package let detail: String

  package init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}
