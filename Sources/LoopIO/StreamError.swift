/// Why a stream could not be opened, or ended. `detail` is for a log and holds no secret.
package struct StreamError: Error, Sendable, Equatable {
  package enum Kind: String, Sendable {
    case resolve, connect, timeout
    /// TLS: the chain is not trusted, the name differs, the certificate is out of date.
    case trust, name, expired
    /// TLS: anything else, such as an alert of the peer.
    case handshake
    /// TLS: the peer did not agree on the protocol asked for.
    case alpn
    /// The proxy that the stream was to pass through did not let it.
    case proxy
    case reset, closed, cancelled
    /// An address in use, a file that cannot be read, a process that cannot be started.
    case setup
  }
  package let kind: Kind
  package let detail: String

  package init(_ kind: Kind, _ detail: String) {
    self.kind = kind
    self.detail = detail
  }
}

/// Where a stream leads.
package enum Endpoint: Sendable, Hashable, CustomStringConvertible {
  case tcp(host: String, port: Int)
  case unix(path: String)

  package var description: String {
    switch self {
    case .tcp(let host, let port): host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
    case .unix(let path): path
    }
  }

  /// Whom a certificate must name; a socket's path leads to this machine.
  package var host: String {
    switch self {
    case .tcp(let host, _): host
    case .unix: "localhost"
    }
  }
}
