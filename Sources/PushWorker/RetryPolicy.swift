package import PushModel
package import PushSettings

/// When a target is tried again, and when no more: OPERATIONS `retry:`, protocol/apns.md 8 and
/// protocol/fcm.md 8.
package struct RetryPolicy: Sendable {
  private let rules: Settings.Retry

  package init(_ rules: Settings.Retry) { self.rules = rules }

  package func decide(
    _ outcome: SendOutcome, _ attempt: Attempt, random: inout some RandomNumberGenerator
  ) -> Decision {
    switch outcome {
    case .neverSent(let trouble) where trouble.kind == .breaker:
      // Asked again soon, at no cost to the provider: the breaker has its own pauses.
      return unspent(.seconds(uniform(1, 5, &random)), .paused, attempt)
    case .neverSent(let trouble) where trouble.kind == .paused:
      return unspent(.seconds(uniform(15, 45, &random)), .paused, attempt)
    case .neverSent:
      // Nothing was spent: only the message's own end stops it.
      let pause = curve(rules.connection.base, rules.connection.max, attempt.unreachable, &random)
      return unspent(pause, .connection, attempt)
    case .unknown:
      let pause = curve(rules.connection.base, rules.connection.max, attempt.spent, &random)
      return spent(pause, .unknown, attempt)
    case .answered(let answer, let verdict):
      return decide(verdict, answer, attempt, &random)
    }
  }

  private func decide(
    _ verdict: Verdict, _ answer: Answer, _ attempt: Attempt,
    _ random: inout some RandomNumberGenerator
  ) -> Decision {
    switch verdict {
    case .accepted: return .accepted
    case .invalidToken(let token): return decide(token, attempt)
    case .deadLetter(let reason): return .dead(reason)
    case .refreshAuth: return spent(.seconds(1), .auth, attempt)
    case .pauseCredential(.credential):
      // The breaker has opened, and has pauses of its own.
      return unspent(.seconds(uniform(1, 5, &random)), .paused, attempt)
    case .pauseCredential:
      // A person must act: look again now and then, so that a repaired setting is found.
      return unspent(.seconds(uniform(15, 45, &random)), .paused, attempt)
    case .retry(let cause):
      let pause = pause(cause, attempt, &random)
      return spent(max(pause, answer.retryAfter ?? .zero), Decision.Cause(cause), attempt)
    }
  }

  /// A token that the app handed in after the provider saw it die is alive again: one more try.
  private func decide(_ token: Verdict.TokenVerdict, _ attempt: Attempt) -> Decision {
    guard let registered = attempt.registeredAt, let died = token.unregisteredAt,
      registered >= died
    else { return .invalidToken(token) }
    if attempt.spent > 0 { return .dead(.rejected) }
    return spent(.seconds(5), .registeredAgain, attempt)
  }

  private func pause(
    _ cause: Verdict.RetryCause, _ attempt: Attempt, _ random: inout some RandomNumberGenerator
  ) -> Duration {
    let n = attempt.spent
    switch (cause, attempt.provider) {
    case (.server, .apns):
      let quick = rules.apns.quick
      if n < rules.apns.quickTries {
        return .seconds(uniform(quick.from.inSeconds, quick.to.inSeconds, &random))
      }
      return curve(rules.apns.base, rules.apns.max, n - rules.apns.quickTries, &random)
    case (.server, .fcm):
      return max(rules.fcm.base, curve(rules.fcm.base, rules.fcm.max, n, &random))
    case (.throttled, .fcm):
      // Google asks for a minute at least; the cap is vectors.json's.
      let pause = curve(rules.fcm.after429, max(.seconds(900), rules.fcm.max), n, &random)
      return max(rules.fcm.after429, pause)
    case (.throttled, .apns), (.tokenUpdates, _):
      return curve(rules.apns.base, rules.apns.max, n, &random)
    case (.newConnection, _):
      return .milliseconds(Int64(uniform(100, 1_000, &random)))
    }
  }

  // MARK: Limits

  private func spent(
    _ pause: Duration, _ cause: Decision.Cause, _ attempt: Attempt
  ) -> Decision {
    if attempt.isOneShot { return .dead(.attemptsExhausted) }
    if isPast(pause, attempt) { return .expired }
    let window = attempt.provider == .apns ? rules.apns.window : rules.fcm.window
    let age = Duration.milliseconds(attempt.now - attempt.firstTaken)
    if age + pause > window { return .dead(.attemptsExhausted) }
    return .again(after: pause, spent: true, because: cause)
  }

  private func unspent(
    _ pause: Duration, _ cause: Decision.Cause, _ attempt: Attempt
  ) -> Decision {
    // A message of one attempt has not had it yet; admission ends it when its time is over.
    if !attempt.isOneShot, isPast(pause, attempt) { return .expired }
    return .again(after: pause, spent: false, because: cause)
  }

  private func isPast(_ pause: Duration, _ attempt: Attempt) -> Bool {
    guard let end = attempt.expiresAt else { return false }
    return .milliseconds(attempt.now) + pause >= .seconds(end)
  }

  /// uniform(0.5, 1.5) × min(max, base × 2ⁿ).
  private func curve(
    _ base: Duration, _ most: Duration, _ n: Int, _ random: inout some RandomNumberGenerator
  ) -> Duration {
    var step = base
    for _ in 0..<max(0, n) where step < most { step *= 2 }
    return .seconds(min(step, most).inSeconds * uniform(0.5, 1.5, &random))
  }

  private func uniform(
    _ low: Double, _ high: Double, _ random: inout some RandomNumberGenerator
  ) -> Double { low + (high - low) * Double(random.next() >> 11) * 0x1p-53 }
}

extension Decision.Cause {
  init(_ cause: Verdict.RetryCause) {
    switch cause {
    case .server: self = .server
    case .throttled: self = .throttled
    case .newConnection: self = .newConnection
    case .tokenUpdates: self = .tokenUpdates
    }
  }
}

extension Duration {
  var inSeconds: Double {
    Double(components.seconds) + Double(components.attoseconds) / 1e18
  }

  /// Whole milliseconds, rounded up: a retry is never early.
  var milliseconds: Int64 {
    let (seconds, attoseconds) = components
    return seconds * 1_000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000
  }
}
