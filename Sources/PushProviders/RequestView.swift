internal import HTTP2
package import PushModel

/// A request as a person reads it: the very fields that a provider sends, without the bearer.
package struct RequestView: Sendable {
  /// The host that the request names, whatever address it goes to.
  package private(set) var authority = ""
  /// With the device token, when it is one to APNs.
  package private(set) var path = ""
  /// In the order they are sent, without pseudo headers; `authorization` is `***`.
  package private(set) var headers: [(name: String, value: String)] = []

  /// - Parameter projectID: the project in the path to FCM.
  package init(_ request: PushRequest, for key: CredentialKey, projectID: String) {
    let hidden = ProviderToken(authorization: Array("***".utf8), serial: 0)
    let authority = ProviderFactory.host(of: key)
    var block: HeaderBlock
    switch request.provider {
    case .apns:
      block = APNsHeaders.common(authority: authority)
      APNsHeaders.append(request, hidden, to: &block)
    case .fcm:
      block = FCMHeaders.common(authority: authority, projectID: projectID)
      FCMHeaders.append(hidden, to: &block)
    }
    for (name, value) in block.pairs { add(name, value) }
  }

  private mutating func add(_ name: String, _ value: String) {
    switch name {
    case ":authority": authority = value
    case ":path": path = value
    case ":method", ":scheme": break
    default: headers.append((name, value))
    }
  }
}
