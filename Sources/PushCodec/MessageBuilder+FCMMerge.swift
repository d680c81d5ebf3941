import PushModel

// The event's `fcm` block, merged last and checked anew.
extension MessageBuilder {
  /// Replaces the message just written after `{"message":` by the merged one; its sizes.
  mutating func mergeMessage(
    _ block: JSONText, _ parts: FCMParts
  ) throws(EventFault) -> FCMSize {
    let start = 11  // {"message":
    guard let built = JSONText(writer.out.array(from: start)) else {
      throw EventFault(.invalidEvent, "fcm: not readable")
    }
    // What the block says about Apple devices concerns no other.
    let patch = parts.isApple ? block : block.without("apns")
    guard let message = JSONText(JSONMerge.merge(built, patch)) else {
      throw EventFault(.invalidEvent, "fcm: not readable")
    }
    writer.out.truncate(to: start)
    writer.out.append(message.bytes)
    if parts.isApple { try checkRelay(message) }
    return size(of: message)
  }

  private func size(of message: JSONText) -> FCMSize {
    var size = FCMSize()
    let data = message.member("data", of: 0)
    if let data { size.data = message.tokens[data].count }
    let texts = message.textBytes(of: message.member("notification", of: 0))
    // Android's own data stands instead of the common one, and its texts over the common ones.
    let android = message.member("android", of: 0) ?? message.member("androidV2", of: 0)
    let own = message.member("data", of: android)
    let ownTexts = message.textBytes(of: message.member("notification", of: android))
    let common = texts + message.memberBytes(of: data)
    size.message = max(common, max(texts, ownTexts) + message.memberBytes(of: own ?? data))
    let apns = message.member("apns", of: 0)
    if let payload = message.member("payload", of: apns) {
      size.payload = message.tokens[payload].count
    }
    return size
  }

  /// Data-only to Apple must have priority 5 (protocol/fcm.md 2.6).
  private func checkRelay(_ message: JSONText) throws(EventFault) {
    let apns = message.member("apns", of: 0)
    let aps = message.member("aps", of: message.member("payload", of: apns))
    let shows = ["alert", "badge", "sound"].contains { message.member($0, of: aps) != nil }
    let headers = message.member("headers", of: apns)
    guard !shows, let priority = message.member("apns-priority", of: headers) else { return }
    if message.string(priority) == "10", message.member("notification", of: 0) == nil,
      message.member("live_activity_token", of: apns) == nil
    {
      throw EventFault(
        .invalidEvent, "fcm.apns.headers.apns-priority: must be 5 with nothing to show")
    }
  }
}

extension JSONText {
  /// True when the root has a member that is not null.
  func has(_ name: String) -> Bool {
    member(name, of: 0).map { tokens[$0].kind != .null } ?? false
  }

  /// UTF-8 bytes of the keys and the strings of a map.
  fileprivate func memberBytes(of object: Int?) -> Int {
    guard let object else { return 0 }
    var bytes = 0
    forEachMember(of: object) { key, value in bytes += self.key(key).count + self.key(value).count }
    return bytes
  }

  /// UTF-8 bytes of what a notification shows.
  fileprivate func textBytes(of notification: Int?) -> Int {
    ["title", "body", "image"].reduce(0) { bytes, name in
      bytes + (member(name, of: notification).map { key($0).count } ?? 0)
    }
  }

  /// The object without one of its members.
  func without(_ name: String) -> JSONText {
    if !has(name) { return self }
    var writer = JSONWriter()
    writer.byte(UInt8(ascii: "{"))
    forEachMember(of: 0) { key, value in
      if string(key) == name { return }
      writer.comma()
      writer.string(tokens[key], bytes.span)
      writer.byte(UInt8(ascii: ":"))
      writer.value(value, tokens.span, bytes.span)
    }
    writer.close()
    return JSONText(writer.out.array()) ?? self
  }
}
