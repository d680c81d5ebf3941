/// The codes of google.firebase.fcm.v1.FcmError with their statuses (protocol/fcm.md 7).
enum FCMError: String, CaseIterable {
  case invalidArgument = "INVALID_ARGUMENT"
  case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
  case senderIDMismatch = "SENDER_ID_MISMATCH"
  case unregistered = "UNREGISTERED"
  case quotaExceeded = "QUOTA_EXCEEDED"
  case `internal` = "INTERNAL"
  case unavailable = "UNAVAILABLE"

  var status: Int {
    switch self {
    case .invalidArgument: 400
    case .thirdPartyAuthError: 401
    case .senderIDMismatch: 403
    case .unregistered: 404
    case .quotaExceeded: 429
    case .internal: 500
    case .unavailable: 503
    }
  }

  /// The texts of the answers captured in protocol/vectors.json.
  var message: String {
    switch self {
    case .invalidArgument: "Request contains an invalid argument."
    case .thirdPartyAuthError: "Auth error from APNS or Web Push Service"
    case .senderIDMismatch: "SenderId mismatch"
    case .unregistered: "Requested entity was not found."
    case .quotaExceeded: "Quota exceeded"
    case .internal: "Internal error encountered."
    case .unavailable: "The service is currently unavailable."
    }
  }
}
