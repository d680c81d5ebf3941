import PushModel

// The APNs payload, direct and behind FCM.
extension MessageBuilder {
  /// `aps` and custom data, without the braces around them.
  mutating func payload(
    _ content: EventContent, _ recipient: RecipientFacts
  ) throws(EventFault) {
    try checkActivity(content)
    aps(content)
    appleData(content, recipient)
    if case .mdm = plan.pushType, !hasKey("mdm", content, recipient) {
      throw .invalid(FieldPath("mdm", in: "data"), "required for push type mdm")
    }
  }

  /// An activity that the event does not have may still come with its own payload.
  func checkActivity(_ content: EventContent) throws(EventFault) {
    if case .liveactivity = plan.pushType, !content.facts.activity.isPresent,
      content.facts.apnsPayload < 0
    {
      throw .invalid(FieldPath("liveActivity"), "required for push type liveactivity")
    }
  }

  mutating func aps(_ content: EventContent) {
    switch plan.pushType {
    case .mdm, .fileprovider: return
    case .widgets, .controls: writer.raw("\"aps\":{\"content-changed\":true}")
    case .liveactivity:
      writer.raw("\"aps\":{")
      activity(content)
      writer.close()
    case .alert, .background, .voip, .location, .complication, .pushtotalk:
      writer.raw("\"aps\":{")
      if plan.showsText { alert(content) }
      presentation(content)
      writer.close()
    }
  }

  private mutating func alert(_ content: EventContent) {
    writer.open("alert")
    writer.field("title", texts.title, content.bytes)
    writer.field("subtitle", texts.subtitle, content.bytes)
    writer.field("body", texts.body, content.bytes)
    if !content.facts.titleLocKey.isEmpty {
      writer.field("title-loc-key", content.facts.titleLocKey, content.bytes)
      arguments("title-loc-args", content.facts.titleLocArgs, content)
    }
    if !content.facts.locKey.isEmpty {
      writer.field("loc-key", content.facts.locKey, content.bytes)
      arguments("loc-args", content.facts.locArgs, content)
    }
    writer.close()
  }

  /// Arguments of a localised text; numbers become strings.
  mutating func arguments(
    _ name: StaticString, _ array: Int, _ content: EventContent
  ) {
    if array < 0 { return }
    writer.key(name)
    writer.byte(UInt8(ascii: "["))
    var at = array + 1
    while at < Int(content.tokens[array].next) {
      writer.comma()
      writer.string(at, content)
      at = Int(content.tokens[at].next)
    }
    writer.byte(UInt8(ascii: "]"))
  }

  /// What stands beside the alert.
  private mutating func presentation(_ content: EventContent) {
    if case .voip = plan.pushType { return }
    if case .alert = plan.pushType {
      if let badge = plan.badge { writer.field("badge", integer: Int64(badge)) }
      sound(content)
    }
    if plan.contentAvailable { writer.field("content-available", integer: 1) }
    if !plan.showsText { return }
    writer.field("thread-id", content.facts.threadID, content.bytes)
    writer.field("category", content.facts.category, content.bytes)
    if plan.mutableContent { writer.field("mutable-content", integer: 1) }
    if plan.isTimeSensitive {
      writer.field("interruption-level", "time-sensitive")
    } else {
      writer.field("interruption-level", content.facts.interruptionLevel, content.bytes)
    }
    number("relevance-score", content.facts.relevanceScore, content)
    writer.field("target-content-id", content.facts.targetContentID, content.bytes)
    writer.field("filter-criteria", content.facts.filterCriteria, content.bytes)
  }

  private mutating func sound(_ content: EventContent) {
    switch plan.sound {
    case .unset, .silent: break
    case .named(let name): writer.field("sound", name, content.bytes)
    case .critical(let name, let volume):
      writer.open("sound")
      writer.raw("\"critical\":1")
      writer.field("name", name, content.bytes)
      number("volume", volume, content)
      writer.close()
    }
  }

  private mutating func number(
    _ name: StaticString, _ piece: Piece, _ content: EventContent
  ) {
    if piece.isEmpty { return }
    writer.key(name)
    writer.value(piece, content.bytes)
  }

  /// protocol/apns.md 10.
  private mutating func activity(_ content: EventContent) {
    let activity = content.facts.activity
    writer.key("timestamp")
    if activity.timestamp.isEmpty {
      writer.integer(now / 1_000)
    } else {
      writer.value(activity.timestamp, content.bytes)
    }
    writer.field("event", activity.event, content.bytes)
    object("content-state", activity.contentState, content)
    number("stale-date", activity.staleDate, content)
    number("dismissal-date", activity.dismissalDate, content)
    writer.field("attributes-type", activity.attributesType, content.bytes)
    object("attributes", activity.attributes, content)
    number("relevance-score", content.facts.relevanceScore, content)
    if activity.alert >= 0 {
      object("alert", activity.alert, content)
    } else if !texts.title.isEmpty || !texts.body.isEmpty {
      writer.open("alert")
      writer.field("title", texts.title, content.bytes)
      writer.field("body", texts.body, content.bytes)
      writer.close()
    }
  }

  private mutating func object(
    _ name: StaticString, _ token: Int, _ content: EventContent
  ) {
    if token < 0 { return }
    writer.key(name)
    writer.value(token, content, dropsNulls: true)
  }

  /// Merges the event's `apns.payload` over the payload that begins at `start`, then lets push type
  /// and priority follow what came out.
  mutating func mergePayload(
    _ content: EventContent, from start: Int
  ) throws(EventFault) {
    guard let built = JSONText(writer.out.array(from: start)) else {
      throw EventFault(.invalidEvent, "apns.payload: not readable")
    }
    let patch = JSONText(bytes: content.bytes.itemCopy, tokens: content.tokens.array())
    let merged = JSONMerge.merge(built, patch, patchRoot: content.facts.apnsPayload)
    writer.out.truncate(to: start)
    writer.out.append(merged)
    if let text = JSONText(merged) { try followPayload(text, content) }
  }

  private mutating func followPayload(
    _ payload: JSONText, _ content: EventContent
  ) throws(EventFault) {
    let aps = payload.member("aps", of: 0)
    guard plan.pushType == .alert || plan.pushType == .background else {
      if let missing = Self.missing(payload, aps, plan.pushType) {
        throw EventFault(
          .invalidEvent,
          "apns.payload: \(missing) is required for push type \(plan.pushType.rawValue)")
      }
      return
    }
    let shows = ["alert", "badge", "sound"].contains { payload.member($0, of: aps) != nil }
    if shows {
      if plan.pushType == .background {
        plan.pushType = .alert
        let type = rules.types[content.facts.type]
        plan.priority = DeliveryPlan.number(content.facts.priority ?? type.priority)
      }
      return
    }
    guard let flag = payload.member("content-available", of: aps), payload.string(flag) == "1"
    else {
      throw EventFault(.invalidEvent, "apns.payload: leaves nothing to show and nothing to do")
    }
    plan.pushType = .background
    plan.priority = 5
  }
}

extension MessageBuilder {
  /// What a payload of the event's own lacks for its push type (protocol/apns.md 4 and 10).
  private static func missing(_ payload: JSONText, _ aps: Int?, _ type: PushType) -> String? {
    func lacks(_ name: String, of object: Int?) -> Bool {
      payload.member(name, of: object).map { payload.tokens[$0].kind == .null } ?? true
    }
    switch type {
    case .mdm: return lacks("mdm", of: 0) ? "mdm" : nil
    case .widgets, .controls: return lacks("content-changed", of: aps) ? "aps.content-changed" : nil
    case .liveactivity:
      let event = payload.member("event", of: aps).flatMap {
        ActivityEvent(rawValue: payload.string($0))
      }
      guard let event else { return "aps.event" }
      var needed = ["timestamp"]
      if event != .end { needed.append("content-state") }
      if event == .start { needed += ["attributes-type", "attributes", "alert"] }
      return needed.first { lacks($0, of: aps) }.map { "aps." + $0 }
    default: return nil
    }
  }
}

extension JSONWriter {
  var isAtStart: Bool { out.last == UInt8(ascii: "{") }
}
