package import HTTP2
internal import LoopIO
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
  package var room: Int { min(pool.room, quota?.room ?? .max) }
  package var depth: Int { min(pool.depth, quota?.depth ?? .max) }
  package var onRoom: (() -> Void)? {
    didSet {
      pool.onRoom = onRoom
      quota?.onRoom = onRoom
    }
  }
  private let pool: ConnectionPool
  private let breaker: BreakerGate?
  private let tokens: AccessTokenSource
  private let scopes: SharedScopePauses
  private let clockWatch: ClockWatch
  /// Nil without a limit.
  private let quota: QuotaQueue?
  private let clock: any PushClock
  private let loop: Loop
  private var sends: SpareSends
  private var brake = ReplacementBrake(seconds: 10)
  /// Nobody waits for a token any more.
  private var isCutOff = false

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
    loop = pool.loop
    self.key = key
    self.pool = pool
    self.breaker = breaker
    self.tokens = tokens
    self.scopes = scopes ?? SharedScopePauses(clock: clock)
    self.quota = quota
    self.clockWatch = clockWatch
    self.clock = clock
    sends = SpareSends(
      common: FCMHeaders.common(authority: authority, projectID: projectID))
    quota?.onAdmitted = { [unowned self] in obtainToken(for: $0) }
  }

  package func send(_ push: consuming any OutgoingPush) {
    let epoch = breaker?.begin()
    if breaker != nil, epoch == nil { return push.ended(BreakerGate.refusal) }
    let send = sends.take(for: self)
    send.begin(push, epoch)
    if let quota, !quota.admits(send) { return }
    obtainToken(for: send)
  }

  private func obtainToken(for send: PendingSend) {
    if let token = tokens.present() { return go(send, .success(token)) }
    let (me, waits) = (LoopBound(self), LoopBound(send))
    // It ends with the exchange, within its timeout; `cutOff` ends the wait at once.
    Task(executorPreference: loop) { await me.value.awaitToken(for: waits.value) }
  }

  private func awaitToken(for send: PendingSend) async {
    if !isCutOff {
      let answer = await tokens.token()
      if !isCutOff { return go(send, answer) }
    }
    end(send) { _ in .neverSent(SendTrouble(.shutdown, "cut off by a shutdown")) }
  }

  private func go(_ send: PendingSend, _ answer: AccessTokenSource.Answer) {
    switch answer {
    case .success(let token):
      send.token = token
      pool.send(send)
    case .failure(let trouble):
      end(send) { _ in withoutToken(trouble) }
    }
  }

  /// Tells breaker and sender what `outcome` says.
  private func end(_ send: PendingSend, _ outcome: (any OutgoingPush) -> SendOutcome) {
    let epoch = send.epoch
    guard let push = sends.putBack(send) else { return }
    let said = outcome(push)
    if let epoch { breaker?.ended(epoch, said) }
    push.ended(said)
  }

  private func said(
    _ outcome: RequestOutcome, _ token: ProviderToken?, _ push: any OutgoingPush
  ) -> SendOutcome {
    switch outcome {
    case .neverSent(let trouble): return .neverSent(SendTrouble(trouble))
    case .unknown(let trouble): return .unknown(SendTrouble(trouble))
    case .answered(let response):
      let outcome = answered(response, token, push.request)
      if case .answered(_, let verdict) = outcome {
        scopes.note(verdict, Self.scope(push.request))
      }
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
    sends.letGo()
  }

  package func cutOff() {
    isCutOff = true
    quota?.open()
    tokens.letGo()
    pool.cutOff()
  }

  /// The pool's figures, for metrics.
  package var snapshot: PoolSnapshot { pool.snapshot }

  private func answered(
    _ response: HTTP2Response, _ token: ProviderToken?, _ request: PushRequest
  ) -> SendOutcome {
    var (answer, verdict) = FCMAnswer.read(
      status: response.status, body: response.body, retryAfter: response.header("retry-after"),
      isLiveActivity: request.pushType == .liveactivity, wall: clock.wall())
    switch verdict {
    case .invalidToken(var dead) where request.isFIDByShape:
      // What only looks like an installation id may be a token cut at its colon (fcm.md 3).
      dead.guarded = true
      verdict = .invalidToken(dead)
    case .refreshAuth where token.map(tokens.refused) != true:
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

extension FCMProvider: PendingSendOwner {
  func fill(_ send: PendingSend, _ push: any OutgoingPush, at now: Int64) -> Bool {
    guard let token = send.token else { preconditionFailure("a send without its token") }
    guard push.build(at: now) else {
      withdraw(send)
      return false
    }
    let message = push.request
    guard scopes.admits(Self.scope(message)) else {
      withdraw(send)
      push.ended(SharedScopePauses.refusal)
      return false
    }
    FCMHeaders.append(token, to: &send.headers)
    send.body = message.body
    return true
  }

  /// It goes as it is: an access token that was refused wedges no connection.
  func fillAgain(_ send: PendingSend, at now: Int64) {}

  private func withdraw(_ send: PendingSend) {
    breaker?.gaveUp()
    _ = sends.putBack(send)
  }

  func ended(_ send: PendingSend, _ outcome: RequestOutcome) {
    let token = send.token.take()
    end(send) { said(outcome, token, $0) }
  }
}
