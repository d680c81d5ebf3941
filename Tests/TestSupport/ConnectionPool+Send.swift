package import HTTP2

extension ConnectionPool {
  /// Sends one request and waits for what becomes of it. On the pool's loop only.
  package func send(
    _ headers: HeaderBlock, body: [UInt8], precedence: UInt8 = 0
  ) async -> RequestOutcome {
    let request = PoolRequest(headers)
    request.body = body
    request.precedence = precedence
    return await unsafe withUnsafeContinuation { unsafe send(request, $0) }
  }
}
