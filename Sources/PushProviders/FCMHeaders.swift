internal import HTTP2

/// The fields of an FCM request (fcm.md 1).
enum FCMHeaders {
  /// What all requests of one project have in common: everything but the bearer.
  static func common(authority: String, projectID: String) -> HeaderBlock {
    var block = HeaderBlock()
    block.append(":method", "POST")
    block.append(":scheme", "https")
    block.append(":authority", Array(authority.utf8))
    block.append(":path", Array("/v1/projects/\(projectID)/messages:send".utf8))
    block.append("content-type", "application/json")
    return block
  }

  static func append(_ token: ProviderToken, to block: inout HeaderBlock) {
    block.append("authorization", token.authorization, .lastingSecret)
  }
}
