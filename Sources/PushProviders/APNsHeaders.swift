package import HTTP2
package import PushModel

/// The fields of an APNs request (apns.md 2 and 3), with Apple's advice on HPACK: of what is new
/// with each message the small dynamic table gets the name alone, of a secret nothing.
package enum APNsHeaders {
  /// What all requests to one host have in common, pseudo headers first.
  static func common(authority: String) -> HeaderBlock {
    var block = HeaderBlock()
    block.append(":method", "POST")
    block.append(":scheme", "https")
    block.append(":authority", Array(authority.utf8))
    return block
  }

  /// - Parameter token: nil when the connection shows a certificate.
  static func append(_ request: PushRequest, _ token: ProviderToken?, to block: inout HeaderBlock) {
    appendPath(lent: &request.deviceToken, to: &block)
    if let token { block.append("authorization", token.authorization, .lastingSecret) }
    append(request, to: &block)
  }

  /// All but path and bearer.
  package static func append(_ request: PushRequest, to block: inout HeaderBlock) {
    append("apns-topic", lent: &request.topic, to: &block)
    block.append("apns-push-type", name(of: request.pushType))
    if !request.apnsID.isEmpty { append("apns-id", lent: &request.apnsID, .nameOnly, to: &block) }
    block.append("apns-priority", decimal: Int64(request.priority))
    block.append("apns-expiration", decimal: request.expiration, .nameOnly)
    if !request.collapseID.isEmpty {
      append("apns-collapse-id", lent: &request.collapseID, .nameOnly, to: &block)
    }
    for field in request.extraHeaders { block.append(field.name, field.value) }
  }

  /// The value is lent and not changed: to read it where it is would count one more owner.
  private static func append(
    _ name: StaticString, lent value: inout [UInt8], _ indexing: HeaderBlock.Indexing = .full,
    to block: inout HeaderBlock
  ) {
    block.append(name, value, indexing)
  }

  private static func appendPath(lent token: inout [UInt8], to block: inout HeaderBlock) {
    block.append(":path", joining: "/3/device/", token, .secret)
  }

  /// Without a String on the way.
  private static func name(of type: PushType) -> StaticString {
    switch type {
    case .alert: "alert"
    case .background: "background"
    case .complication: "complication"
    case .controls: "controls"
    case .fileprovider: "fileprovider"
    case .liveactivity: "liveactivity"
    case .location: "location"
    case .mdm: "mdm"
    case .pushtotalk: "pushtotalk"
    case .voip: "voip"
    case .widgets: "widgets"
    }
  }
}
