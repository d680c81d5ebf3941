package import HTTP2

extension ConnectionPool {
  /// Sends one request and waits for what becomes of it. On the pool's loop only.
  package func send(
    _ headers: HeaderBlock, body: [UInt8], precedence: UInt8 = 0
  ) async -> RequestOutcome {
    await withCheckedContinuation {
      let request = FilledRequest(headers, $0)
      request.body = body
      request.precedence = precedence
      send(request)
    }
  }
}

/// Needs nothing more when it has its place, and waits for its end.
private final class FilledRequest: PoolRequest {
  private let waiter: CheckedContinuation<RequestOutcome, Never>

  init(_ headers: HeaderBlock, _ waiter: CheckedContinuation<RequestOutcome, Never>) {
    self.waiter = waiter
    super.init(headers)
  }

  override func ended() {
    if let outcome = takeOutcome() { waiter.resume(returning: outcome) }
  }
}
