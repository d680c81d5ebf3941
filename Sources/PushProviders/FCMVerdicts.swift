package import PushModel

/// What an error body of FCM says, without its JSON (fcm.md 6).
package struct FCMFault: Sendable, Equatable {
  /// False for an HTML page of a front end, or for no body at all.
  package var isJSON = false
  /// `FcmError.errorCode`; empty when there is no FcmError.
  package var code = ""
  /// `error.status`, the google.rpc name.
  package var rpcStatus = ""
  package var message = ""
  package var violations: [Violation] = []
  package var apns: APNsFault?
  /// `RetryInfo.retryDelay`.
  package var retryDelay: Duration?

  /// A field that FCM refuses.
  package struct Violation: Sendable, Equatable {
    package var field = ""
    package var description = ""

    package init() {}
  }

  /// What APNs told FCM.
  package struct APNsFault: Sendable, Equatable {
    package var status: Int64 = 0
    package var reason = ""

    package init() {}

    /// Proof that the Apple token behind the registration is dead.
    var condemnsToken: Bool {
      status == 410 || ["BadDeviceToken", "Unregistered", "ExpiredToken"].contains(reason)
    }
  }

  package init() {}
}

/// What an answer of FCM means: fcm.md 7 and fcm-errors.json as code.
///
/// The FcmError decides before the status, since 401, 403 and 404 each mean one thing with it (the
/// target or the Firebase project) and another without (our own credential).
package enum FCMVerdicts {
  /// - Parameter isLiveActivity: the request carried `apns.live_activity_token`.
  package static func judge(
    status: Int, fault: FCMFault, isLiveActivity: Bool = false
  ) -> Verdict {
    if (200..<300).contains(status) { return .accepted }
    switch fault.code {
    case "INVALID_ARGUMENT": return invalidArgument(fault, isLiveActivity)
    case "UNREGISTERED":
      return .invalidToken(token(fault, guarded: false, isLiveActivity))
    case "SENDER_ID_MISMATCH": return .invalidToken(.init(guarded: true))
    // The key of the Firebase project for Apple or web push: Android targets still work.
    case "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR": return .pauseCredential(.appleAndWeb)
    case "QUOTA_EXCEEDED": return .retry(.throttled)
    case "INTERNAL", "UNAVAILABLE": return .retry(.server)
    case "UNSPECIFIED_ERROR": return unspecified(status)
    default: return byStatus(status, fault)
    }
  }

  /// Proof is needed before a token is condemned: a bad message has the same code.
  private static func invalidArgument(_ fault: FCMFault, _ isLiveActivity: Bool) -> Verdict {
    if fault.apns?.condemnsToken == true {
      return .invalidToken(token(fault, guarded: true, isLiveActivity))
    }
    let text = fault.message.lowercased()
    if text.contains("too big") || text.contains("too large") {
      return .deadLetter(.payloadTooLarge)
    }
    if text.contains("not a valid fcm registration token") {
      return .invalidToken(.init(guarded: true))
    }
    if fault.violations.contains(where: { $0.field == "message.token" }) {
      return .invalidToken(.init(guarded: true))
    }
    return .deadLetter(.rejected)
  }

  private static func token(
    _ fault: FCMFault, guarded: Bool, _ isLiveActivity: Bool
  ) -> Verdict.TokenVerdict {
    let isOfActivity = isLiveActivity && fault.apns?.condemnsToken == true
    return .init(guarded: guarded, isLiveActivity: isOfActivity)
  }

  /// "No information" never condemns a token and never pauses anything.
  private static func unspecified(_ status: Int) -> Verdict {
    switch status {
    case 429: .retry(.throttled)
    case 400..<500: .deadLetter(.rejected)
    default: .retry(.server)
    }
  }

  private static func byStatus(_ status: Int, _ fault: FCMFault) -> Verdict {
    switch status {
    // Our access token. A second one in a row pauses; that is the caller's to count.
    case 401: .refreshAuth
    // IAM, the API switched off, a foreign project.
    case 403: .pauseCredential(.credential)
    // JSON says: wrong path or project. A page of a front end says nothing.
    case 404: fault.isJSON ? .pauseCredential(.credential) : .retry(.server)
    case 408, 500...: .retry(.server)
    case 413: .deadLetter(.payloadTooLarge)
    case 421: .retry(.newConnection)
    case 429: .retry(.throttled)
    case 400..<500: .deadLetter(.rejected)
    default: .pauseCredential(.credential)
    }
  }
}
