/// The reasons that the providers publish: the closed set that metrics may grow to.
enum KnownReasons {
  /// apns.md 8 and 11.
  static let apns: Set<String> = [
    "BadCollapseId", "BadDeviceToken", "BadExpirationDate", "BadMessageId", "BadPriority",
    "BadTopic", "DeviceTokenNotForTopic", "DuplicateHeaders", "IdleTimeout", "InvalidPushType",
    "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "TopicDisallowed", "BadCertificate",
    "BadCertificateEnvironment", "ExpiredProviderToken", "Forbidden", "InvalidProviderToken",
    "MissingProviderToken", "UnrelatedKeyIdInToken", "BadEnvironmentKeyIdInToken",
    "BadEnvironmentKeyInToken", "BadPath", "MethodNotAllowed", "ExpiredToken", "Unregistered",
    "PayloadTooLarge", "TooManyProviderTokenUpdates", "TooManyRequests", "InternalServerError",
    "ServiceUnavailable", "Shutdown", "FeatureNotEnabled", "MissingChannelId", "BadChannelId",
    "ChannelNotRegistered", "BadRequestParams", "BadRequestPayload", "MissingPushType",
    "CannotCreateChannelConfig", "TopicMismatch", "Service Unavailable",
  ]

  /// FCM's codes (fcm.md 7), and the names of google.rpc that stand where there is none.
  static let fcm: Set<String> = [
    "INVALID_ARGUMENT", "UNREGISTERED", "SENDER_ID_MISMATCH", "QUOTA_EXCEEDED", "UNAVAILABLE",
    "INTERNAL", "THIRD_PARTY_AUTH_ERROR", "APNS_AUTH_ERROR", "UNSPECIFIED_ERROR", "CANCELLED",
    "UNKNOWN", "DEADLINE_EXCEEDED", "NOT_FOUND", "ALREADY_EXISTS", "PERMISSION_DENIED",
    "UNAUTHENTICATED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED", "OUT_OF_RANGE",
    "UNIMPLEMENTED", "DATA_LOSS",
  ]

  /// RFC 6749 5.2, and our own word for a key that does not sign.
  static let oauth: Set<String> = [
    "invalid_grant", "invalid_scope", "invalid_request", "invalid_client", "unauthorized_client",
    "unsupported_grant_type", TokenExchange.keyReason,
  ]
}
