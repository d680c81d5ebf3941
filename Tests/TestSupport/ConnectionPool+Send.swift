package import HTTP2

extension ConnectionPool {
  /// Sends one request and waits for what becomes of it. On the pool's loop only.
  package func send(
    _ headers: HeaderBlock, body: [UInt8], precedence: UInt8 = 0
  ) async -> RequestOutcome {
    await withCheckedContinuation {
      let request = PoolRequest(headers, for: FilledRequest($0))
      request.body = body
      request.precedence = precedence
      send(request)
    }
  }
}

/// Waits for the end of a request that needs nothing more when it has its place.
private final class FilledRequest: PoolClient {
  private let waiter: CheckedContinuation<RequestOutcome, Never>

  init(_ waiter: CheckedContinuation<RequestOutcome, Never>) { self.waiter = waiter }

  func fill(_ request: PoolRequest, at now: Int64) -> Bool { true }

  func ended(_ request: PoolRequest, _ outcome: RequestOutcome) {
    waiter.resume(returning: outcome)
  }
}

/// For requests of whose end nobody hears.
package final class Nobody: PoolClient {
  package init() {}

  package func fill(_ request: PoolRequest, at now: Int64) -> Bool { true }

  package func ended(_ request: PoolRequest, _ outcome: RequestOutcome) {}
}
