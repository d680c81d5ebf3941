internal import PushModel

/// What became of a request, as `send` shows it.
struct OutcomeListing {
  private let outcome: SendOutcome

  init(_ outcome: SendOutcome) { self.outcome = outcome }

  var exitCode: ExitCode {
    if case .answered(_, .accepted) = outcome { return .done }
    return .failed
  }

  var text: String {
    switch outcome {
    case .neverSent(let trouble): "not sent: \(Self.text(trouble))"
    case .unknown(let trouble): "sent, but no answer came: \(Self.text(trouble))"
    case .answered(let answer, let verdict):
      ([
        "answer: \([String(answer.status), answer.reason].filter { !$0.isEmpty }.joined(separator: " "))"
      ] + details(answer) + ["verdict: \(Self.sentence(verdict))"]).joined(separator: "\n")
    }
  }

  var json: JSONValue {
    switch outcome {
    case .neverSent(let trouble): Self.json(trouble, "never_sent")
    case .unknown(let trouble): Self.json(trouble, "unknown")
    case .answered(let answer, let verdict):
      .object([
        ("outcome", .text("answered")), ("status", .number(answer.status)),
        ("reason", .text(answer.reason)), ("detail", .text(answer.detail)),
        ("name", .text(answer.messageName)), ("verdict", .text(Self.word(verdict))),
      ])
    }
  }

  private func details(_ answer: Answer) -> [String] {
    [("detail", answer.detail), ("name", answer.messageName)].filter { !$0.1.isEmpty }.map {
      shown("\($0.0): \($0.1)")
    }
  }

  private static func text(_ trouble: SendTrouble) -> String {
    shown(trouble.detail.isEmpty ? trouble.kind.rawValue : trouble.detail)
  }

  private static func json(_ trouble: SendTrouble, _ outcome: String) -> JSONValue {
    .object([
      ("outcome", .text(outcome)), ("cause", .text(trouble.kind.rawValue)),
      ("detail", .text(trouble.detail)),
    ])
  }

  private static func word(_ verdict: Verdict) -> String {
    switch verdict {
    case .accepted: "accepted"
    case .invalidToken: "invalid_token"
    case .retry: "retry"
    case .refreshAuth: "refresh_auth"
    case .pauseCredential: "pause_credential"
    case .deadLetter: "dead_letter"
    }
  }

  /// What a worker would do.
  private static func sentence(_ verdict: Verdict) -> String {
    switch verdict {
    case .accepted: "accepted by the provider"
    case .invalidToken: "the token is dead; a worker reports it for removal"
    case .retry(let cause): "a worker would try again later (\(cause.rawValue))"
    case .refreshAuth: "the provider token was refused; a worker would make a new one"
    case .pauseCredential: "the credential or its rights are at fault; a worker would pause it"
    case .deadLetter(let reason): "a worker would file a dead letter (\(reason.rawValue))"
    }
  }
}
