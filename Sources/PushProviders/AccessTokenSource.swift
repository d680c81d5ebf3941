internal import PushCrypto
package import PushTelemetry
package import SharedState

/// FCM's access token of one service account: one for all shards (fcm.md 4).
///
/// Any thread may ask. The exchange blocks on libcurl, on a thread of its own that ends with it;
/// who waits is resumed from there. A wait ends with the exchange, within `timeout`.
package final class AccessTokenSource: Sendable {
  package typealias Answer = Result<ProviderToken, AccessTokenTrouble>

  private struct State {
    var plan = AccessTokenPlan()
    var waiting: [CheckedContinuation<Answer, Never>] = []
  }

  private let exchange: TokenExchange
  private let clock: any PushClock
  private let made: Counter?
  private let state = Guarded(State())

  package init(
    exchange: TokenExchange, clock: any PushClock = SystemClock(), made: Counter? = nil
  ) {
    self.exchange = exchange
    self.clock = clock
    self.made = made
  }

  /// The token to send with, when nothing has to be done for it; else `token` gives one.
  func present() -> ProviderToken? {
    state.withLock { $0.plan.present(now: clock.monotonic()) }
  }

  /// The token to send with; suspends only when there is none and an exchange runs.
  package func token() async -> Answer {
    let need = state.withLock { $0.plan.need(now: clock.monotonic()) }
    switch need {
    case .use(let token): return .success(token)
    case .useAndFetch(let token):
      start()
      return .success(token)
    case .refuse(let trouble): return .failure(trouble)
    case .wait: return await answerOfRunningExchange(startsIt: false)
    case .fetch: return await answerOfRunningExchange(startsIt: true)
    }
  }

  /// Tells that FCM answered 401 to `token`. True when another one may be tried.
  package func refused(_ token: ProviderToken) -> Bool {
    state.withLock { $0.plan.refused(token, now: clock.monotonic()) }
  }

  /// Ends all waiting for an exchange, as a failure; the exchange itself goes on.
  package func letGo() {
    let waiting = state.withLock { state in
      defer { state.waiting = [] }
      return state.waiting
    }
    let trouble = AccessTokenTrouble(isConfiguration: false, detail: "cut off by a shutdown")
    for continuation in waiting { continuation.resume(returning: .failure(trouble)) }
  }

  /// Joins those who wait first and starts the exchange then, so that its end finds us.
  private func answerOfRunningExchange(startsIt: Bool) async -> Answer {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state -> Answer? in
        if !startsIt, let answer = state.plan.settled(now: clock.monotonic()) { return answer }
        state.waiting.append(continuation)
        return nil
      }
      if let isOver { continuation.resume(returning: isOver) }
      if startsIt { start() }
    }
  }

  private func start() {
    let runs = OwnThread.run {
      let begun = self.clock.monotonic()
      self.finish(self.exchange.perform(wall: self.clock.wall()), begun: begun)
    }
    if !runs {
      let trouble = AccessTokenTrouble(isConfiguration: false, detail: "no thread for the exchange")
      finish(.failure(trouble), begun: clock.monotonic())
    }
  }

  private func finish(_ result: Result<TokenExchange.Grant, AccessTokenTrouble>, begun: Int64) {
    let spread = Double.random(in: 0.5...1.5)
    let (answer, waiting) = state.withLock { state in
      let waiting = state.waiting
      state.waiting = []
      let answer: Answer
      switch result {
      case .success(let grant):
        // Its life began when it was asked for.
        answer = .success(
          state.plan.arrived(grant.accessToken, lifetime: grant.lifetime, now: begun))
      case .failure(let trouble):
        state.plan.failed(trouble, now: clock.monotonic(), spread: spread)
        answer = .failure(trouble)
      }
      return (answer, waiting)
    }
    if case .success = answer { made?.add() }
    for continuation in waiting { continuation.resume(returning: answer) }
  }
}
