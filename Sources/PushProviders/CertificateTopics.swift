internal import PushModel

/// What a certificate may push to, as far as it says so itself.
struct CertificateTopics: Equatable {
  /// In Apple's extension: these and no others (apns.md 4).
  let listed: [String]
  /// The subject's UID, the base topic of certificates without the extension (apns.md 6).
  let userID: String?

  enum Finding: Equatable {
    case fits
    /// APNs will refuse every push.
    case refused(String)
    /// Apple does not say that the UID binds, so the worker starts.
    case doubtful(String)
  }

  /// Whether an app with this bundle id has any topic that the certificate is good for.
  func check(bundleID: String) -> Finding {
    if !listed.isEmpty {
      if listed.contains(where: { Self.isTopic($0, of: bundleID) }) { return .fits }
      return .refused(
        "the certificate is for \(listed.joined(separator: ", ")), not for the app's topic "
          + bundleID)
    }
    guard let userID, !Self.isTopic(userID, of: bundleID) else { return .fits }
    return .doubtful(
      "the certificate's subject names the topic \(userID), not the app's topic \(bundleID)")
  }

  private static func isTopic(_ topic: String, of bundleID: String) -> Bool {
    PushType.allCases.contains { topic == bundleID + $0.topicSuffix }
  }
}
