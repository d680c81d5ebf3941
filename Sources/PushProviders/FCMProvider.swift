package import HTTP2
package import PushModel
package import PushWorker
internal import SharedState

/// One Firebase project on one loop.
package final class FCMProvider: PushProvider {
  package let key: CredentialKey
  package var gate: CredentialGate { breaker?.gate ?? .open }
  package var onGateChange: (() -> Void)? {
    didSet { breaker?.onChange = onGateChange }
  }
  private let pool: ConnectionPool
  private let breaker: BreakerGate?
  private let tokens: AccessTokenSource
  private let scopes: SharedScopePauses
  private let clockWatch: ClockWatch
  /// Nil without a limit.
  private let quota: QuotaQueue?
  private let clock: any PushClock
  private var requests: SpareRequests
  private var brake = ReplacementBrake(seconds: 10)

  /// Response fields that `pool` must keep.
  package static let keptHeaders = ["retry-after", "date"]
  /// Google answers more streams on a connection with GOAWAY (fcm.md 5).
  package static let maximumStreams = 100

  /// - Parameters:
  ///   - authority: the provider's host name, whatever the pool connects to.
  ///   - projectID: the project that is sent to, in the path.
  ///   - breaker: nil for one that never opens.
  init(
    key: CredentialKey, authority: String, projectID: String, pool: ConnectionPool,
    tokens: AccessTokenSource, breaker: BreakerGate? = nil, scopes: SharedScopePauses? = nil,
    quota: QuotaQueue? = nil, clockWatch: ClockWatch = ClockWatch(), clock: any PushClock
  ) {
    self.key = key
    self.pool = pool
    self.breaker = breaker
    self.tokens = tokens
    self.scopes = scopes ?? SharedScopePauses(clock: clock)
    self.quota = quota
    self.clockWatch = clockWatch
    self.clock = clock
    requests = SpareRequests(
      common: FCMHeaders.common(authority: authority, projectID: projectID))
  }

  package func send(_ request: PushRequest) async -> SendOutcome {
    guard scopes.admits(Self.scope(request)) else { return SharedScopePauses.refusal }
    let epoch = breaker?.begin()
    if breaker != nil, epoch == nil { return BreakerGate.refusal }
    await quota?.wait()
    let token: ProviderToken
    switch await tokens.token() {
    case .success(let current): token = current
    case .failure(let trouble): return concluded(withoutToken(trouble), epoch)
    }
    let sent = filled(request, token)
    let outcome = await unsafe withUnsafeContinuation { unsafe pool.send(sent, $0) }
    requests.putBack(sent)
    return concluded(said(outcome, token, request), epoch)
  }

  private func filled(_ request: PushRequest, _ token: ProviderToken) -> PoolRequest {
    let sent = requests.take()
    FCMHeaders.append(token, to: &sent.headers)
    sent.body = request.body
    sent.precedence = request.precedence
    return sent
  }

  private func concluded(_ outcome: SendOutcome, _ epoch: Int?) -> SendOutcome {
    if let epoch { breaker?.ended(epoch, outcome) }
    return outcome
  }

  /// A function that does not wait: what it needs is no part of what each waiting push keeps.
  private func said(
    _ outcome: RequestOutcome, _ token: ProviderToken, _ request: PushRequest
  ) -> SendOutcome {
    switch outcome {
    case .neverSent(let trouble): return .neverSent(SendTrouble(trouble))
    case .unknown(let trouble): return .unknown(SendTrouble(trouble))
    case .answered(let response):
      let outcome = answered(response, token, request)
      if case .answered(_, let verdict) = outcome { scopes.note(verdict, Self.scope(request)) }
      return outcome
    }
  }

  /// Targets that need the Firebase project's own keys for Apple and web push.
  private static func scope(_ request: PushRequest) -> [UInt8]? {
    guard let platform = request.platform, platform.isApple || platform == .web else { return nil }
    return platform == .web ? Array("web".utf8) : Array("apple".utf8)
  }

  package func shutDown() async {
    quota?.open()
    await pool.shutDown()
  }

  package func cutOff() {
    quota?.open()
    tokens.letGo()
    pool.cutOff()
  }

  /// The pool's figures, for metrics.
  package var snapshot: PoolSnapshot { pool.snapshot }

  private func answered(
    _ response: HTTP2Response, _ token: ProviderToken, _ request: PushRequest
  ) -> SendOutcome {
    var (answer, verdict) = FCMAnswer.read(
      status: response.status, body: response.body, retryAfter: response.header("retry-after"),
      isLiveActivity: request.pushType == .liveactivity, wall: clock.wall())
    switch verdict {
    case .invalidToken(var dead) where request.isFIDByShape:
      // What only looks like an installation id may be a token cut at its colon (fcm.md 3).
      dead.guarded = true
      verdict = .invalidToken(dead)
    case .refreshAuth where !tokens.refused(token):
      // A fresh one was refused: the account's rights are the reason, not its age.
      verdict = .pauseCredential(.credential)
    case .retry(.throttled): quota?.throttled()
    case .retry(.newConnection):
      if brake.admits(now: clock.monotonic()) { pool.replaceConnections() }
    case .accepted, .invalidToken, .retry, .refreshAuth, .pauseCredential, .deadLetter: break
    }
    return .answered(answer, verdict)
  }

  /// The token endpoint's refusal of our account is an answer; silence is none.
  private func withoutToken(_ trouble: AccessTokenTrouble) -> SendOutcome {
    guard trouble.isConfiguration else { return .neverSent(SendTrouble(.auth, trouble.detail)) }
    var answer = Answer(
      status: trouble.status, reason: trouble.reason, detail: trouble.detail,
      retryAfter: trouble.retryAfter)
    answer.isKnownReason = KnownReasons.oauth.contains(trouble.reason)
    return .answered(answer, .pauseCredential(.credential))
  }
}
