package import HTTP2
package import PushModel
package import PushWorker
package import SharedState

/// One APNs key and host on one loop.
package final class APNsProvider: PushProvider {
  package let key: CredentialKey
  package var gate: CredentialGate { breaker?.gate ?? .open }
  package var onGateChange: (() -> Void)? {
    didSet { breaker?.onChange = onGateChange }
  }
  private let pool: ConnectionPool
  private let breaker: BreakerGate?
  private let tokens: ProviderTokenSource
  private let clock: any PushClock
  private var blocks: HeaderBlocks
  private var brake = ReplacementBrake(seconds: 10)
  /// Shorter, since a paused credential sends no more than a probe now and then.
  private var wedgeBrake = ReplacementBrake(seconds: 1)
  /// The last token for whose sake connections were replaced.
  private var replacedFor = 0

  /// Response fields that `pool` must keep.
  package static let keptHeaders = ["retry-after", "apns-unique-id"]

  /// - Parameters:
  ///   - authority: the provider's host name, whatever the pool connects to.
  ///   - pool: of this credential alone, with `firstRequestAlone` (apns.md 12).
  ///   - breaker: nil for one that never opens.
  package init(
    key: CredentialKey, authority: String, pool: ConnectionPool, tokens: ProviderTokenSource,
    breaker: BreakerGate? = nil, clock: any PushClock
  ) {
    self.key = key
    self.pool = pool
    self.breaker = breaker
    self.tokens = tokens
    self.clock = clock
    blocks = HeaderBlocks(common: APNsHeaders.common(authority: authority))
  }

  package func send(_ request: PushRequest) async -> SendOutcome {
    guard let breaker else { return await attempt(request) }
    guard let epoch = breaker.begin() else { return BreakerGate.refusal }
    let outcome = await attempt(request)
    breaker.ended(epoch, outcome)
    return outcome
  }

  private func attempt(_ request: PushRequest) async -> SendOutcome {
    let token = tokens.token()
    var block = blocks.take()
    APNsHeaders.append(request, token, to: &block)
    let outcome = await pool.send(
      block, body: request.body, precedence: request.precedence)
    blocks.putBack(block)
    switch outcome {
    case .neverSent(let trouble): return .neverSent(SendTrouble(trouble))
    case .unknown(let trouble): return .unknown(SendTrouble(trouble))
    case .answered(let response): return answered(response, token)
    }
  }

  package func shutDown() async { await pool.shutDown() }

  package func cutOff() { pool.cutOff() }

  /// The pool's figures, for metrics.
  package var snapshot: PoolSnapshot { pool.snapshot }

  private func answered(_ response: HTTP2Response, _ token: ProviderToken) -> SendOutcome {
    if response.status == 200, key.environment == .production {
      return .answered(Answer(status: 200), .accepted)
    }
    let (answer, verdict) = APNsAnswer.read(
      status: response.status, body: response.body, retryAfter: response.header("retry-after"),
      uniqueID: response.header("apns-unique-id"), wall: clock.wall())
    switch verdict {
    case .refreshAuth: return refresh(answer, token)
    case .retry(.newConnection):
      if brake.admits(now: clock.monotonic()) { pool.replaceConnections() }
    case .accepted, .invalidToken, .retry, .pauseCredential, .deadLetter: break
    }
    return .answered(answer, verdict)
  }

  /// An expired token wedges its connections (apns.md 5.2): a new one goes with new connections.
  private func refresh(_ answer: Answer, _ token: ProviderToken) -> SendOutcome {
    guard tokens.refused(token) else {
      if wedgeBrake.admits(now: clock.monotonic()) { pool.replaceConnections() }
      var answer = answer
      answer.detail = "a new provider token was called expired: is this machine's clock right?"
      return .answered(answer, .pauseCredential(.credential))
    }
    if token.serial > replacedFor {
      replacedFor = token.serial
      pool.replaceConnections()
    }
    return .answered(answer, .refreshAuth)
  }
}
