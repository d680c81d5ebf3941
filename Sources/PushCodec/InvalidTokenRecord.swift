import PushModel

/// What a provider said about a token.
package struct TokenFacts: Sendable {
  package var reason: String
  /// APNs' time of a 410 in UNIX milliseconds.
  package var unregisteredAt: Int64?
  /// UNIX milliseconds.
  package var observedAt: Int64
  /// True when the dead one is the Live Activity's token that went with an FCM target.
  package var isLiveActivity: Bool

  package init(
    reason: String, unregisteredAt: Int64? = nil, observedAt: Int64, isLiveActivity: Bool = false
  ) {
    self.reason = reason
    self.unregisteredAt = unregisteredAt
    self.observedAt = observedAt
    self.isLiveActivity = isLiveActivity
  }
}

extension MessageCodec {
  /// A record for the feedback list as JSON (EVENTS.md 3).
  package func invalidToken(
    _ event: DecodedEvent, target index: Int, facts: TokenFacts
  ) -> [UInt8] {
    let content = event.content
    let target = content.targets[index]
    let isActivity = facts.isLiveActivity && !target.activityToken.isEmpty
    var writer = JSONWriter()
    writer.raw("{\"v\":1")
    writer.field("kind", text: (isActivity ? .liveActivity : target.kind).rawValue)
    writer.field("token", isActivity ? target.activityToken : target.token, content.bytes)
    writer.field("provider", text: target.provider.rawValue)
    writer.field("app", text: event.appName)
    if let platform = target.platform { writer.field("platform", text: platform.rawValue) }
    if target.provider == .apns {
      writer.field("environment", text: target.environment.rawValue)
      writer.field("apnsTopic", target.topic, content.bytes)
    }
    writer.field("user", content.recipients[Int(target.recipient)].user, content.bytes)
    deviceID(Int(target.element), content, &writer)
    writer.field("reason", text: facts.reason)
    if let at = facts.unregisteredAt { writer.field("unregisteredAt", integer: at) }
    if let at = target.registeredAt { writer.field("registeredAt", integer: at) }
    writer.field("observedAt", integer: facts.observedAt)
    writer.field("event", text: event.id)
    writer.close()
    return writer.out.array()
  }

  private func deviceID(_ device: Int, _ content: EventContent, _ writer: inout JSONWriter) {
    guard device >= 0, content.tokens[device].kind == .object,
      let id = content.member("id", of: device), content.tokens[id].kind == .string
    else { return }
    writer.key("deviceId")
    writer.string(id, content)
  }
}
