/// What an answer of the token endpoint means (RFC 6749 5.2, fcm-errors.json `oauth2`).
package enum OAuthVerdicts {
  package enum Verdict: Sendable, Equatable {
    /// A token came.
    case granted
    /// A person must act.
    case pauseCredential
    case retry
  }

  /// The error code is for people; the status decides.
  package static func judge(status: Int) -> Verdict {
    switch status {
    case 200..<300: .granted
    case 408, 429, 500...: .retry
    default: .pauseCredential
    }
  }
}
