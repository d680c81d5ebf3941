package import PushModel

/// What an answer of APNs means: apns.md 8 and apns-reasons.json as code.
package enum APNsVerdicts {
  /// Decides by status and reason; what is in no table is decided by the status alone.
  ///
  /// - Parameters:
  ///   - reason: the body's `reason`, empty when the body was missing or unreadable.
  ///   - timestamp: the body's `timestamp` of a 410 in UNIX milliseconds.
  package static func judge(status: Int, reason: String, timestamp: Int64? = nil) -> Verdict {
    switch status {
    case 200..<300: .accepted
    case 400: badRequest(reason)
    case 403: forbidden(reason)
    case 410: .invalidToken(.init(guarded: false, unregisteredAt: timestamp))
    case 413: .deadLetter(.payloadTooLarge)
    case 429:
      .retry(reason == "TooManyProviderTokenUpdates" ? .tokenUpdates : .throttled)
    case 408, 500...: .retry(.server)
    // Sent to a server that is not responsible: another one may be.
    case 421: .retry(.newConnection)
    case 400..<500: .deadLetter(.rejected)
    // A redirect or an informational answer: not APNs, so not the message's fault.
    default: .pauseCredential(.credential)
    }
  }

  private static func badRequest(_ reason: String) -> Verdict {
    switch reason {
    // Malformed, or of the other environment: the two look alike.
    case "BadDeviceToken": .invalidToken(.init(guarded: true))
    // The channel is gone, or was made in the other environment.
    case "ChannelNotRegistered": .invalidToken(.init(guarded: true))
    case "IdleTimeout": .retry(.newConnection)
    // The topic comes from the configuration, never from the event.
    case "BadTopic", "MissingTopic", "TopicDisallowed": .pauseCredential(.topic)
    case "FeatureNotEnabled", "CannotCreateChannelConfig": .pauseCredential(.topic)
    default: .deadLetter(.rejected)
    }
  }

  private static func forbidden(_ reason: String) -> Verdict {
    switch reason {
    case "ExpiredProviderToken": .refreshAuth
    // Another key made the first push on this connection.
    case "UnrelatedKeyIdInToken": .retry(.newConnection)
    case "TopicMismatch": .pauseCredential(.topic)
    default: .pauseCredential(.credential)
    }
  }
}
