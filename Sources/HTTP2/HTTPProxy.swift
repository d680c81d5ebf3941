package import LoopIO

/// A proxy that passes streams on (HTTP CONNECT, RFC 9110 9.3.6). Where one is set, nothing goes
/// past it.
package struct HTTPProxy: Sendable {
  package var endpoint: Endpoint
  /// The value of `proxy-authorization`, such as `Basic …`; nil = none is sent. A secret.
  package var authorization: [UInt8]?

  package init(endpoint: Endpoint, authorization: [UInt8]? = nil) {
    self.endpoint = endpoint
    self.authorization = authorization
  }

  /// The words for a 407, which only a person can repair.
  package static func refusal(hadPassword: Bool) -> String {
    hadPassword
      ? "the proxy refuses user or password (407)" : "the proxy asks for user and password (407)"
  }
}

extension HTTPProxy {
  /// A stream to `target` through this proxy, without TLS yet.
  func connect(
    to target: Endpoint, on loop: Loop, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) -> ByteStream {
    let stream: ByteStream
    do throws(StreamError) {
      stream = try await ByteStream.connect(to: endpoint, on: loop, before: deadline)
    } catch {
      throw StreamError(.proxy, "no connection to the proxy: \(error.detail)")
    }
    let tunnel = ProxyTunnel(stream)
    do throws(StreamError) {
      try await tunnel.open(before: deadline) { tunnel.ask(for: target, authorization) }
    } catch  where error.kind == .timeout {
      throw StreamError(.proxy, "no answer of the proxy in time")
    }
    return stream
  }
}
