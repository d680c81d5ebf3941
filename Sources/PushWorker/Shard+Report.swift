import PushCodec
import PushModel
import PushTelemetry

// Every provider error is a record: app, provider, shortened token, status, reason, apns-id,
// attempt (the time is the record's own).
extension Shard {
  func report(
    _ job: Lane.Job, _ outcome: SendOutcome, _ decision: Decision,
    _ lane: Lane
  ) {
    let key = outlets[job.group].provider.key
    let event = job.item.event
    let token = event.redactedToken(of: job.target)
    let attempt = job.item.item.header.attempt + 1
    let id = lane.isBuilt ? String(decoding: lane.request.apnsID, as: UTF8.self) : ""
    let trace = event.traceparent ?? ""
    switch outcome {
    case .answered(let answer, let verdict):
      metrics.rejected(key.provider, reason: answer.reason, isKnown: answer.isKnownReason)
      log.warning(
        "the provider refused a push",
        [
          .app: .text(key.app), .provider: .text(key.provider.rawValue), .token: .text(token),
          .status: .count(answer.status), .reason: .text(answer.reason), .apnsID: .text(id),
          .attempt: .count(attempt), .verdict: .text(verdict.name), .outcome: .text(decision.name),
          .event: .text(event.id), .traceparent: .text(trace),
        ])
    case .neverSent(let trouble):
      log.warning(
        "a push could not be sent",
        [
          .app: .text(key.app), .provider: .text(key.provider.rawValue), .token: .text(token),
          .kind: .text(trouble.kind.rawValue), .detail: .text(trouble.detail),
          .outcome: .text(decision.name), .event: .text(event.id), .traceparent: .text(trace),
        ])
    case .unknown(let trouble):
      log.warning(
        "a push got no answer",
        [
          .app: .text(key.app), .provider: .text(key.provider.rawValue), .token: .text(token),
          .kind: .text(trouble.kind.rawValue), .detail: .text(trouble.detail), .apnsID: .text(id),
          .attempt: .count(attempt), .outcome: .text(decision.name), .event: .text(event.id),
          .traceparent: .text(trace),
        ])
    }
  }
}

extension Verdict {
  /// A word for logs.
  var name: String {
    switch self {
    case .accepted: "accepted"
    case .invalidToken: "invalid-token"
    case .retry: "retry"
    case .refreshAuth: "refresh-auth"
    case .pauseCredential: "pause-credential"
    case .deadLetter: "dead-letter"
    }
  }
}

extension Decision {
  /// A word for logs.
  var name: String {
    switch self {
    case .accepted: "accepted"
    case .invalidToken: "invalid_token"
    case .again: "retry"
    case .dead: "dead"
    case .expired: "expired"
    case .parked: "parked"
    }
  }
}
