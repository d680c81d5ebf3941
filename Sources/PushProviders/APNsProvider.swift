package import HTTP2
package import PushModel
package import PushWorker
package import SharedState

/// One APNs key or certificate and host on one loop.
package final class APNsProvider: PushProvider {
  package let key: CredentialKey
  package var gate: CredentialGate { breaker?.gate ?? .open }
  package var onGateChange: (() -> Void)? {
    didSet { breaker?.onChange = onGateChange }
  }
  package var room: Int { pool.room }
  package var depth: Int { pool.depth }
  package var onRoom: (() -> Void)? {
    didSet { pool.onRoom = onRoom }
  }
  private let pool: ConnectionPool
  private let breaker: BreakerGate?
  /// Nil with a certificate, which is shown by the connections.
  private let tokens: ProviderTokenSource?
  private let scopes: SharedScopePauses
  private let clockWatch: ClockWatch
  private let clock: any PushClock
  private var sends: SpareSends
  private var brake = ReplacementBrake(seconds: 10)
  /// Shorter, since a paused credential sends no more than a probe now and then.
  private var wedgeBrake = ReplacementBrake(seconds: 1)
  /// The last token for whose sake connections were replaced.
  private var replacedFor = 0
  /// What `tokens` gave when it was asked last, and when that was (monotonic).
  private var kept: (token: ProviderToken, at: Int64)?

  /// For so long `tokens`, which takes a lock and reads two clocks, is not asked again.
  private static let tokenTrust: Int64 = 1_000_000_000

  /// Response fields that `pool` must keep.
  package static let keptHeaders = ["retry-after", "apns-unique-id", "date"]

  /// - Parameters:
  ///   - authority: the provider's host name, whatever the pool connects to.
  ///   - pool: of this credential alone, with `firstRequestAlone` (apns.md 12).
  ///   - tokens: nil when the pool's connections show a certificate.
  ///   - breaker: nil for one that never opens.
  package init(
    key: CredentialKey, authority: String, pool: ConnectionPool, tokens: ProviderTokenSource?,
    breaker: BreakerGate? = nil, scopes: SharedScopePauses? = nil,
    clockWatch: ClockWatch = ClockWatch(), clock: any PushClock
  ) {
    self.key = key
    self.pool = pool
    self.breaker = breaker
    self.tokens = tokens
    self.scopes = scopes ?? SharedScopePauses(clock: clock)
    self.clockWatch = clockWatch
    self.clock = clock
    sends = SpareSends(common: APNsHeaders.common(authority: authority))
  }

  package func send(_ push: consuming any OutgoingPush) {
    let epoch = breaker?.begin()
    if breaker != nil, epoch == nil { return push.ended(BreakerGate.refusal) }
    let send = sends.take(for: self)
    send.begin(push, epoch)
    pool.send(send)
  }

  package func shutDown() async {
    await pool.shutDown()
    sends.letGo()
  }

  package func cutOff() { pool.cutOff() }

  /// The pool's figures, for metrics.
  package var snapshot: PoolSnapshot { pool.snapshot }

  private func said(
    _ outcome: RequestOutcome, _ push: any OutgoingPush, _ token: ProviderToken?
  ) -> SendOutcome {
    switch outcome {
    case .neverSent(let trouble): return .neverSent(SendTrouble(trouble))
    case .unknown(let trouble): return .unknown(SendTrouble(trouble))
    case .answered(let response):
      let said = answered(response, token)
      if case .answered(_, let verdict) = said { scopes.note(verdict, push.request.topic) }
      return said
    }
  }

  private func answered(_ response: HTTP2Response, _ token: ProviderToken?) -> SendOutcome {
    if response.status == 200, key.environment == .production {
      return .accepted
    }
    let (answer, verdict) = APNsAnswer.read(
      status: response.status, body: response.body, retryAfter: response.header("retry-after"),
      uniqueID: response.header("apns-unique-id"), wall: clock.wall())
    switch verdict {
    case .refreshAuth:
      return refused(answer, token, isExpired: true, response)
    case .pauseCredential(.credential) where answer.reason == "InvalidProviderToken":
      return refused(answer, token, isExpired: false, response)
    // A token that changed too often for one connection may be the first of another.
    case .retry(.newConnection), .retry(.tokenUpdates):
      if brake.admits(now: clock.monotonic()) { pool.replaceConnections() }
    case .accepted, .invalidToken, .retry, .pauseCredential, .deadLetter: break
    }
    return .answered(answer, verdict)
  }

  /// An expired token wedges its connections (apns.md 5.2): a new one goes with new connections.
  private func refused(
    _ answer: Answer, _ token: ProviderToken?, isExpired: Bool, _ response: HTTP2Response
  ) -> SendOutcome {
    guard let tokens, let token, tokens.refused(token, isExpired: isExpired) else {
      if isExpired, wedgeBrake.admits(now: clock.monotonic()) { pool.replaceConnections() }
      var answer = answer
      let words = clockWatch.judge(response.header("date"), wall: clock.wall())
      let what = isExpired ? "a new provider token was called expired" : "the token is not valid"
      answer.detail = words.isEmpty ? what : "\(what): \(words)"
      return .answered(answer, .pauseCredential(.credential))
    }
    kept = nil
    if token.serial > replacedFor {
      replacedFor = token.serial
      pool.replaceConnections()
    }
    return .answered(answer, .refreshAuth)
  }
}

extension APNsProvider: PendingSendOwner {
  func fill(_ send: PendingSend, _ push: any OutgoingPush, at now: Int64) -> Bool {
    guard push.build(at: now) else {
      withdraw(send)
      return false
    }
    let message = push.request
    guard scopes.admits(message.topic) else {
      withdraw(send)
      push.ended(SharedScopePauses.refusal)
      return false
    }
    let token = token(at: now)
    APNsHeaders.append(message, token, to: &send.headers)
    send.token = token
    send.body = message.body
    return true
  }

  /// An expired token would wedge the new connection too (apns.md 5.2).
  func fillAgain(_ send: PendingSend, at now: Int64) {
    guard let push = send.push, let old = send.token, let token = token(at: now),
      token.serial != old.serial
    else { return }
    sends.cut(send)
    APNsHeaders.append(push.request, token, to: &send.headers)
    send.token = token
  }

  private func token(at now: Int64) -> ProviderToken? {
    guard let tokens else { return nil }
    if let kept, now - kept.at < Self.tokenTrust { return kept.token }
    let token = tokens.token()
    kept = (token, now)
    return token
  }

  private func withdraw(_ send: PendingSend) {
    breaker?.gaveUp()
    _ = sends.putBack(send)
  }

  func ended(_ send: PendingSend, _ outcome: RequestOutcome) {
    let (token, epoch) = (send.token.take(), send.epoch)
    guard let push = sends.putBack(send) else { return }
    let said = said(outcome, push, token)
    if let epoch { breaker?.ended(epoch, said) }
    push.ended(said)
  }
}
