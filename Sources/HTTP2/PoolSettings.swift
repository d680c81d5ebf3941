package import LoopIO

/// Where a pool connects and what it may do there. One pool belongs to one (host, credential).
package struct PoolSettings: Sendable {
  package var endpoint: Endpoint
  /// Must offer ALPN `h2` and nothing else; nil = HTTP/2 without TLS, which both sides know of.
  package var tls: TLSContext?
  /// What the certificate must name; nil = the endpoint's host.
  package var serverName: String?
  /// What all connections go through; nil = they are direct.
  package var proxy: HTTPProxy?
  /// Kept open while requests come; an idle pool opens none by itself.
  package var minConnections = 1
  package var maxConnections = 20
  /// Starts that one connection may make in any second: 1 to 100, 0 = no limit.
  package var requestsPerSecond = 100
  /// One request alone on each new connection until the first 200 (APNs with provider tokens).
  package var firstRequestAlone = false
  /// Our own limit of streams beside the peer's; FCM: 100.
  package var maxStreams = Int(Int32.max)
  /// PING after so long without a byte; nil = only when requests get no answer.
  package var pingIdle: Duration? = .seconds(60)
  /// PING when requests are open and no byte came for so long: a push is answered within a second
  /// or two.
  package var pingSilence: Duration = .seconds(5)
  /// A connection without a byte for so long after a PING is dead.
  package var pingTimeout: Duration = .seconds(5)
  /// Requests after which a connection is replaced: stream ids end at 2^31-1, odd ones only
  /// (RFC 9113 5.1.1).
  package var requestsPerConnection = 1 << 30 - 1
  /// From the start on a connection to the answer; also the longest wait for a place on one.
  package var requestTimeout: Duration = .seconds(15)
  /// Name, TCP and TLS together; also the longest wait of a request while no connection stands.
  package var connectTimeout: Duration = .seconds(10)
  /// Names of the response fields that are kept, in lower case.
  package var keptHeaders: [String] = []

  package init(endpoint: Endpoint, tls: TLSContext?, serverName: String? = nil) {
    self.endpoint = endpoint
    self.tls = tls
    self.serverName = serverName
  }
}
