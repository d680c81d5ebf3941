import PushModel

// A request to FCM (protocol/fcm.md 2).
extension MessageBuilder {
  /// Bytes of one message that count against a limit of FCM.
  struct FCMSize {
    /// Keys and values of `data` with title, body and image.
    var message = 0
    /// `data` as JSON, which FCM adds to `apns.payload`.
    var data = 0
    var payload = 0
  }

  /// What a target gets.
  struct FCMParts {
    var isApple = false
    var isAndroid = false
    var isWeb = false

    init(_ target: PushTarget) {
      // A topic, or a device of unknown kind, gets all three blocks.
      guard let platform = target.platform, !target.isTopic else {
        (isApple, isAndroid, isWeb) = (true, true, true)
        return
      }
      isApple = platform.isApple
      isAndroid = platform == .android
      isWeb = platform == .web
    }
  }

  mutating func buildFCM(
    _ content: EventContent, _ target: PushTarget
  ) throws(EventFault) {
    let parts = FCMParts(target)
    let limit = target.isTopic ? 2_048 : 4_096
    try fit(content, limit: limit) { (builder, content) throws(EventFault) in
      builder.writer.raw("{\"message\":")
      var size = try builder.message(content, target, parts)
      if let block = content.fcmBlock {
        size = try builder.mergeMessage(block, parts)
      }
      builder.writer.close()
      builder.notes.bytes = size.message
      builder.notes.limit = limit
      let relayed = parts.isApple ? size.payload + size.data : 0
      let message = Excess(bytes: size.message - limit, isInJSON: false)
      if relayed - 4_096 <= message.bytes { return message }
      builder.notes.bytes = relayed
      builder.notes.limit = 4_096
      return Excess(bytes: relayed - 4_096)
    }
  }

  private mutating func message(
    _ content: EventContent, _ target: PushTarget, _ parts: FCMParts
  ) throws(EventFault) -> FCMSize {
    var size = FCMSize()
    let recipient = content.recipients[Int(target.recipient)]
    let isData =
      (rules.types[content.facts.type].style ?? rules.apps[content.facts.app].style) == .data
    writer.byte(UInt8(ascii: "{"))
    self.target(content, target)
    if parts.isAndroid, !isData, hasAndroidText(content) {
      size.message += notification(content)
    }
    try data(content, recipient, withTexts: isData && !isOnlyWeb(parts), &size)
    if parts.isAndroid, !(content.fcmBlock?.has("androidV2") ?? false) {
      android(content, isData: isData)
    }
    if parts.isApple { size.payload = try apns(content, target, recipient) }
    if parts.isWeb { size.message += web(content, counts: isOnlyWeb(parts)) }
    writer.close()
    return size
  }

  private func isOnlyWeb(_ parts: FCMParts) -> Bool { parts.isWeb && !parts.isAndroid }

  private func hasAndroidText(_ content: EventContent) -> Bool {
    return !content.facts.title.isEmpty || !content.facts.body.isEmpty
      || !content.facts.locKey.isEmpty
      || !content.facts.titleLocKey.isEmpty
  }

  private mutating func target(_ content: EventContent, _ target: PushTarget) {
    if target.isTopic {
      writer.field("topic", content.facts.topic, content.bytes)
      writer.field("condition", content.facts.condition, content.bytes)
    } else if target.kind == .fid {
      writer.field("fid", target.token, content.bytes)
    } else {
      writer.field("token", target.token, content.bytes)
    }
  }

  /// The common block, for Android; the bytes that count.
  private mutating func notification(_ content: EventContent) -> Int {
    let image = content.facts.image
    if texts.title.isEmpty, texts.body.isEmpty, image.isEmpty { return 0 }
    writer.open("notification")
    writer.field("title", texts.title, content.bytes)
    writer.field("body", texts.body, content.bytes)
    writer.field("image", image, content.bytes)
    writer.close()
    return texts.title.length + texts.body.length + image.length
  }

  private mutating func android(_ content: EventContent, isData: Bool) {
    writer.open("android")
    let priority = content.facts.priority ?? rules.types[content.facts.type].priority
    writer.field("priority", priority == .high ? "HIGH" : "NORMAL")
    writer.key("ttl")
    writer.byte(UInt8(ascii: "\""))
    writer.integer(min(secondsLeft(content), FCMDuration.maximum))
    writer.raw("s\"")
    if rules.apps[content.facts.app].collapses {
      writer.field("collapse_key", content.facts.collapseKey, content.bytes)
    }
    if !isData, hasAndroidText(content) {
      writer.open("notification")
      writer.field("channel_id", content.facts.channel, content.bytes)
      writer.field("tag", content.facts.collapseKey, content.bytes)
      androidSound(content)
      if let badge = plan.badge { writer.field("notification_count", integer: Int64(badge)) }
      androidLocalised(content)
      if writer.isAtStart { removeEmpty("notification") } else { writer.close() }
    }
    writer.close()
  }

  /// Takes back an object that got no member.
  private mutating func removeEmpty(_ name: StaticString) {
    writer.out.truncate(to: writer.out.count - name.utf8CodeUnitCount - 5)
  }

  /// The channel's rule is for iOS: Android's channel has its own sound.
  private mutating func androidSound(_ content: EventContent) {
    switch content.facts.sound {
    case .silent: break
    case .named(let name), .critical(let name, _): writer.field("sound", name, content.bytes)
    case .unset:
      let own = rules.types[content.facts.type].sound
      if content.bytes.isEqual(own, "none") { return }
      writer.field("sound", own.orIfEmpty(rules.names.defaultSound), content.bytes)
    }
  }

  private mutating func androidLocalised(_ content: EventContent) {
    if !content.facts.titleLocKey.isEmpty {
      writer.field("title_loc_key", content.facts.titleLocKey, content.bytes)
      arguments("title_loc_args", content.facts.titleLocArgs, content)
    }
    if !content.facts.locKey.isEmpty {
      writer.field("body_loc_key", content.facts.locKey, content.bytes)
      arguments("body_loc_args", content.facts.locArgs, content)
    }
  }

  /// The block for browsers; the bytes that count when nothing else shows the texts.
  private mutating func web(_ content: EventContent, counts: Bool) -> Int {
    writer.open("webpush")
    writer.open("headers")
    writer.key("TTL")
    writer.byte(UInt8(ascii: "\""))
    writer.integer(min(secondsLeft(content), FCMDuration.maximum))
    writer.byte(UInt8(ascii: "\""))
    switch content.facts.priority ?? rules.types[content.facts.type].priority {
    case .high: writer.field("Urgency", "high")
    case .normal: writer.field("Urgency", "normal")
    case .low: writer.field("Urgency", "low")
    }
    writer.close()
    var bytes = 0
    if !texts.title.isEmpty || !texts.body.isEmpty {
      writer.open("notification")
      writer.field("title", texts.title, content.bytes)
      writer.field("body", texts.body, content.bytes)
      writer.field("icon", content.facts.senderImage, content.bytes)
      writer.field("image", content.facts.image, content.bytes)
      writer.field("tag", content.facts.collapseKey, content.bytes)
      writer.close()
      bytes = texts.title.length + texts.body.length + content.facts.image.length
    }
    if content.bytes.hasPrefix(content.facts.url, "https://") {
      writer.open("fcm_options")
      writer.field("link", content.facts.url, content.bytes)
      writer.close()
    }
    writer.close()
    return counts ? bytes : 0
  }

  /// The block for Apple devices behind FCM; the bytes of its payload.
  private mutating func apns(
    _ content: EventContent, _ target: PushTarget, _ recipient: RecipientFacts
  ) throws(EventFault) -> Int {
    if content.fcmBlock == nil { try checkActivity(content) }
    writer.open("apns")
    writer.key("payload")
    let start = writer.out.count
    writer.byte(UInt8(ascii: "{"))
    aps(content)
    writer.close()
    if content.facts.apnsPayload >= 0 { try mergePayload(content, from: start) }
    let bytes = writer.out.count - start
    relayHeaders(content)
    if plan.showsText, !content.facts.image.isEmpty {
      writer.open("fcm_options")
      writer.field("image", content.facts.image, content.bytes)
      writer.close()
    }
    writer.field("live_activity_token", target.activityToken, content.bytes)
    writer.close()
    return bytes
  }

  /// All values are strings (protocol/fcm.md 2.3); the topic is FCM's to fill.
  private mutating func relayHeaders(_ content: EventContent) {
    let values = PushRequest()
    values.priority = plan.priority
    values.expiration = expiration(content)
    appendCollapseID(content, to: &values.collapseID)
    if content.facts.apnsHeaders >= 0 { applyBlock(content, values) }
    writer.open("headers")
    writer.key("apns-push-type")
    writer.text(plan.pushType.rawValue)
    writer.key("apns-priority")
    writer.text("\(Self.allowed(values.priority, plan.pushType))")
    writer.key("apns-expiration")
    writer.text("\(values.expiration)")
    if !values.collapseID.isEmpty {
      writer.key("apns-collapse-id")
      writer.text(String(decoding: values.collapseID, as: UTF8.self))
    }
    for (name, value) in values.extraHeaders {
      writer.comma()
      writer.text(String(decoding: name, as: UTF8.self))
      writer.byte(UInt8(ascii: ":"))
      writer.text(String(decoding: value, as: UTF8.self))
    }
    writer.close()
  }
}
