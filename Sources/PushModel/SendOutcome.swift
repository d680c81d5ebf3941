/// What became of one request. The three are kept apart because retrying depends on nothing else.
///
/// Indirect, since every async function on its way keeps room for it: inline it made a push that
/// waits half a kilobyte larger.
package indirect enum SendOutcome: Sendable {
  /// The provider did not process it: refused stream, above GOAWAY's last stream id, no
  /// connection. Sending it again is no attempt.
  case neverSent(SendTrouble)
  /// A status came back.
  case answered(Answer, Verdict)
  /// The connection was lost, or the deadline passed, after the request left: it may have been
  /// delivered.
  case unknown(SendTrouble)

  /// A plain 200, of which nothing more is told.
  package static let accepted = SendOutcome.answered(Answer(status: 200), .accepted)

  package var isAccepted: Bool {
    if case .answered(_, .accepted) = self { true } else { false }
  }

  /// What the provider said, if it did.
  package var answer: Answer? {
    if case .answered(let answer, _) = self { answer } else { nil }
  }
}

/// Why no answer came; `detail` names the cause for a log and holds no secret.
package struct SendTrouble: Sendable, Error {
  package enum Kind: String, Sendable {
    case noConnection, tls, proxy, refused, goAway, reset, closed, timeout, auth, shutdown
    /// Held back here: the credential's breaker is open.
    case breaker
    /// Held back here: the provider refuses this topic, or Apple and web targets.
    case paused
  }
  package let kind: Kind
  package let detail: String

  package init(_ kind: Kind, _ detail: String = "") {
    self.kind = kind
    self.detail = detail
  }
}

/// What the provider said, for logs, letters and receipts.
package struct Answer: Sendable {
  package var status: Int
  /// APNs' `reason` or FCM's error code; empty on success.
  package var reason: String
  /// FCM's error text and field violations, shortened; never a token.
  package var detail: String
  /// FCM's message name, or APNs' `apns-unique-id` of the sandbox.
  package var messageName: String
  /// From Retry-After or RetryInfo.
  package var retryAfter: Duration?
  /// False for a reason outside the provider's published set, which metrics count as `other`.
  package var isKnownReason = true

  package init(
    status: Int, reason: String = "", detail: String = "", messageName: String = "",
    retryAfter: Duration? = nil
  ) {
    self.status = status
    self.reason = reason
    self.detail = detail
    self.messageName = messageName
    self.retryAfter = retryAfter
  }
}

/// What an answer means, by the tables of protocol/apns-reasons.json and fcm-errors.json.
package enum Verdict: Sendable, Equatable {
  case accepted
  case invalidToken(TokenVerdict)
  case retry(RetryCause)
  /// Make a new provider token, then try once more; APNs also wants a new connection.
  case refreshAuth
  /// A fault of the configuration: this credential (or its topic) waits, the message is kept.
  case pauseCredential(PauseScope)
  case deadLetter(DeadReason)

  package struct TokenVerdict: Sendable, Equatable {
    /// True when many at once point at a wrong setting (EVENTS.md 3, the brake).
    package var guarded: Bool
    /// APNs' 410 timestamp in UNIX milliseconds.
    package var unregisteredAt: Int64?
    /// True when the brake was on: the token goes into the held list.
    package var isHeld = false
    /// True when the dead token is the Live Activity's, not the registration token.
    package var isLiveActivity: Bool

    package init(guarded: Bool, unregisteredAt: Int64? = nil, isLiveActivity: Bool = false) {
      self.guarded = guarded
      self.unregisteredAt = unregisteredAt
      self.isLiveActivity = isLiveActivity
    }
  }

  package enum RetryCause: String, Sendable {
    /// 500, 502, 503: the curve of `retry.apns` or `retry.fcm`.
    case server
    /// 429 for this token alone, or a quota.
    case throttled
    /// Try again at once on another connection (IdleTimeout, UnrelatedKeyIdInToken).
    case newConnection
    /// TooManyProviderTokenUpdates: wait, and make no new token.
    case tokenUpdates
  }

  package enum PauseScope: Sendable, Equatable {
    case credential
    case topic
    /// FCM's THIRD_PARTY_AUTH_ERROR: only Apple and web targets of the project.
    case appleAndWeb
  }
}
