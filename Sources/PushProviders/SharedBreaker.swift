package import PushModel
package import PushTelemetry
package import SharedState
internal import Synchronization

/// The breaker of one credential and environment, shared by the shards of a process, so that what
/// one of them learns spares the others and one alone probes.
///
/// Any thread may ask. In peace a push costs two atomic loads; the lock is taken after a fault.
package final class SharedBreaker: Sendable {
  private struct State {
    var breaker: Breaker
    var tellers: [@Sendable () -> Void] = []
    var openedAt: Int64 = 0
  }

  private let key: CredentialKey
  private let clock: any PushClock
  private let gauge: Gauge?
  private let logger: Logger?
  private let state: Guarded<State>
  /// The breaker's epoch, times two; the lowest bit is set while it is calm.
  private let word: Atomic<Int>

  package init(
    _ key: CredentialKey, _ limits: Breaker.Limits = .init(), clock: any PushClock,
    gauge: Gauge? = nil, logger: Logger? = nil
  ) {
    self.key = key
    self.clock = clock
    self.gauge = gauge
    self.logger = logger
    state = Guarded(State(breaker: Breaker(limits)))
    word = Atomic(1)
  }

  /// Joins a shard; the number is its own. `tell` is called on any thread when what `allowance`
  /// says may have changed.
  func join(_ tell: @escaping @Sendable () -> Void) -> Int {
    state.withLock { state in
      state.tellers.append(tell)
      return state.tellers.count - 1
    }
  }

  /// How many requests a shard may have under way; nil = any number.
  func allowance(of member: Int) -> Int? {
    if isCalm { return nil }
    return state.withLock { $0.breaker.allowance(of: member, among: $0.tellers.count) }
  }

  /// True when a push may go without asking.
  var isCalm: Bool { word.load(ordering: .relaxed) & 1 == 1 }

  /// To be handed back with what became of a request that begins now.
  var epoch: Int { word.load(ordering: .relaxed) >> 1 }

  /// When a pause ends, in monotonic nanoseconds; nil when none is under way.
  var pauseEnd: Int64? {
    state.withLock { state in
      if case .open(let until) = state.breaker.phase { return until }
      return nil
    }
  }

  /// True when the request may go, and whether it is the probe.
  func begins(_ member: Int, running: Int) -> (goes: Bool, isProbe: Bool) {
    change { state in
      let goes = state.breaker.begins(member, running: running, among: state.tellers.count)
      return (goes, goes && state.breaker.phase == .halfOpen(prober: member))
    }
  }

  func tick() {
    let now = clock.monotonic()
    change { $0.breaker.tick(now) }
  }

  func succeeded(_ epoch: Int) {
    if word.load(ordering: .relaxed) == epoch << 1 | 1 { return }
    change { $0.breaker.succeeded(epoch) }
  }

  func failed(
    _ fault: Breaker.Fault, _ epoch: Int, count: Int = 1, cause: String, wish: Int64 = 0
  ) {
    let now = clock.monotonic()
    let jitter = Double.random(in: 0..<1)
    change(because: cause) {
      $0.breaker.failed(fault, epoch, count: count, now: now, jitter: jitter, wish: wish)
    }
  }

  func probeWasVain(_ epoch: Int, cause: String) {
    let now = clock.monotonic()
    let jitter = Double.random(in: 0..<1)
    change(because: cause) { $0.breaker.probeWasVain(epoch, now: now, jitter: jitter) }
  }

  func probeWasGivenUp(by member: Int) {
    change { $0.breaker.probeWasGivenUp(by: member) }
  }

  // MARK: Changes

  private struct Step {
    var old: Breaker.Phase
    var new: Breaker.Phase
    var pause: Int64
    var openedAt: Int64
    var tellers: [@Sendable () -> Void]
  }

  /// Changes the state under the lock, and tells of it after that.
  private func change<R: Sendable>(
    because cause: String = "", _ body: (inout State) -> R
  ) -> R {
    let now = clock.monotonic()
    let (result, step) = state.withLock { state -> (R, Step) in
      let old = state.breaker.phase
      let result = body(&state)
      let breaker = state.breaker
      word.store(breaker.epoch << 1 | (breaker.isCalm ? 1 : 0), ordering: .relaxed)
      if old == .closed, breaker.phase != .closed { state.openedAt = now }
      // Telling costs a wake-up of every loop: successes of a slow start are not told.
      let isTold = Self.isNews(old, breaker.phase)
      return (
        result,
        Step(
          old: old, new: breaker.phase, pause: breaker.pause, openedAt: state.openedAt,
          tellers: isTold ? state.tellers : [])
      )
    }
    report(step, cause, now)
    for tell in step.tellers { tell() }
    return result
  }

  private static func isNews(_ old: Breaker.Phase, _ new: Breaker.Phase) -> Bool {
    switch (old, new) {
    case (.slowStart(let old, _), .slowStart(let new, _)): old != new
    default: old != new
    }
  }

  private func report(_ step: Step, _ cause: String, _ now: Int64) {
    switch (step.old, step.new) {
    case (.closed, .open):
      gauge?.add(1)
      log(.warning, "the breaker has opened", cause, seconds: step.pause)
    case (.slowStart, .open):
      gauge?.add(1)
      log(.warning, "the breaker has opened again", cause, seconds: step.pause)
    case (.halfOpen, .open):
      log(.warning, "a probe has failed", cause, seconds: step.pause)
    case (.halfOpen, .slowStart):
      gauge?.add(-1)
      log(.info, "a probe has succeeded", "slow start", seconds: now - step.openedAt)
    case (.slowStart, .closed):
      log(.info, "the breaker has closed", "", seconds: now - step.openedAt)
    default: break
    }
  }

  /// `seconds`, given in nanoseconds: until the next probe, or since the breaker opened.
  private func log(
    _ level: LogLevel, _ message: StaticString, _ cause: String, seconds: Int64
  ) {
    logger?.log(
      level, message,
      [
        .app: .text(key.app), .provider: .text(key.provider.rawValue),
        .environment: .text(key.environment.rawValue), .detail: .text(cause),
        .seconds: .seconds(.nanoseconds(seconds)),
      ])
  }
}
