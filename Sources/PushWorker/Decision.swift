package import PushModel

/// What the worker does about one target, after what the provider said or failed to say.
package enum Decision: Sendable, Equatable {
  case accepted
  case invalidToken(Verdict.TokenVerdict)
  /// Later, and whether the attempt counts.
  case again(after: Duration, spent: Bool, because: Cause)
  case dead(DeadReason)
  /// Not now, and for a time nobody knows: it waits in the parked list of its credential, unspent.
  case parked
  /// Its life is over before another attempt could be made.
  case expired

  package enum Cause: String, Sendable {
    case server, throttled, connection, unknown, auth, paused, newConnection, tokenUpdates
    case registeredAgain
  }
}

/// What a decision depends on besides the outcome.
package struct Attempt: Sendable {
  package var provider = Provider.apns
  /// Attempts spent before this one.
  package var spent = 0
  /// First take in UNIX milliseconds.
  package var firstTaken: Int64 = 0
  /// Now in UNIX milliseconds.
  package var now: Int64 = 0
  /// End of the message's life in UNIX seconds; nil = none.
  package var expiresAt: Int64?
  /// `ttl` 0: one attempt.
  package var isOneShot = false
  /// When the app last handed in the token, in UNIX milliseconds.
  package var registeredAt: Int64?
  /// Failures to reach the provider in a row, over all targets of the credential.
  package var unreachable = 0

  package init() {}
}
