import PushModel
import PushTelemetry
import SharedState
import Synchronization

/// The brake of one credential and environment, shared by the shards of a process. Any thread.
///
/// In peace an answer costs one relaxed add; the lock is taken for suspicious ones, and for all
/// while the brake is on.
package final class InvalidationBrake: Sendable {
  private let key: CredentialKey
  private let gauge: Gauge
  private let log: Logger
  private let state = Guarded(MassInvalidation())
  /// Trusted answers that `state` has not seen yet.
  private let trusted = Atomic<Int>(0)
  private let isOn = Atomic<Bool>(false)

  init(_ key: CredentialKey, _ metrics: WorkerMetrics, _ log: Logger) {
    self.key = key
    self.log = log
    gauge = metrics.pushes(app: key.app, provider: key.provider).brake
  }

  func accepted() {
    trusted.add(1, ordering: .relaxed)
    if isOn.load(ordering: .relaxed) { change { _ in } }
  }

  /// Counts an answer. Nil for one whose token is above suspicion.
  func answered(_ answer: Answer, _ verdict: Verdict, now: Int64) -> MassInvalidation.Ticket? {
    switch verdict {
    case .invalidToken(let token) where token.guarded:
      return change { state in
        state.suspected()
        return state.ticket(now: now)
      }
    case .deadLetter where answer.reason == "DeviceTokenNotForTopic":
      change { $0.suspected() }
    default: accepted()
    }
    return nil
  }

  func fate(_ ticket: MassInvalidation.Ticket, now: Int64) -> MassInvalidation.Fate {
    change { $0.fate(ticket, now: now) }
  }

  private func change<R: Sendable>(_ body: (inout MassInvalidation) -> R) -> R {
    let (result, change) = state.withLock { state -> (R, Bool?) in
      let was = state.isTripped
      state.trusted(trusted.exchange(0, ordering: .relaxed))
      let result = body(&state)
      isOn.store(state.isTripped, ordering: .relaxed)
      return (result, was == state.isTripped ? nil : state.isTripped)
    }
    if let change { tell(change) }
    return result
  }

  private func tell(_ isTripped: Bool) {
    gauge.add(isTripped ? 1 : -1)
    let pairs: KeyValuePairs<LogKey, LogValue> = [
      .app: .text(key.app), .provider: .text(key.provider.rawValue),
      .environment: .text(key.environment.rawValue),
    ]
    if isTripped {
      log.error(
        "too many tokens look dead: is a setting wrong? they are held, not fed back", pairs)
    } else {
      log.info("the brake on invalid tokens has released", pairs)
    }
  }
}

/// The brakes of a process, one for each credential, made when first asked for.
package final class InvalidationBrakes: Sendable {
  private let brakes = Guarded<[CredentialKey: InvalidationBrake]>([:])

  package init() {}

  func brake(
    of key: CredentialKey, _ metrics: WorkerMetrics, _ log: Logger
  ) -> InvalidationBrake {
    brakes.withLock { brakes in
      if let known = brakes[key] { return known }
      let made = InvalidationBrake(key, metrics, log)
      brakes[key] = made
      return made
    }
  }
}
