internal import PushModel

/// A value that the producer left out, and what stands for it.
package struct TakenDefault: Sendable, Equatable {
  /// As the event would name it.
  package let field: String
  /// Empty for what is not known yet.
  package let value: String
  package let source: Source

  package enum Source: String, Sendable {
    /// The event's type, built in or configured.
    case type
    /// The app's settings.
    case app
    /// Other fields of the event.
    case event
    /// The moment at which a worker first takes it.
    case clock
  }
}

// For `explain`: where a message comes from. No other way leads here.
extension DecodedEvent {
  /// What the producer left out, in the order of the contract.
  package var takenDefaults: [TakenDefault] {
    names + life + texts + look
  }

  /// Where a target stands in the event, as faults name it.
  package func place(of index: Int) -> String {
    let target = content.targets[index]
    if target.isTopic { return content.facts.topic.isPresent ? "topic" : "condition" }
    let recipient = content.recipients[Int(target.recipient)]
    var path = FieldPath("")
    if recipient.element >= 0 { path.recipient = Int(target.recipient) }
    if target.element >= 0 {
      let first = content.targets.firstIndex { $0.recipient == target.recipient } ?? index
      path.device = index - first
    }
    return path.description
  }

  package func user(of index: Int) -> String? {
    let user = content.recipients[Int(content.targets[index].recipient)].user
    return user.isEmpty ? nil : content.bytes.string(user)
  }

  private var facts: EventFacts { content.facts }
  private var type: CompiledType { rules.types[facts.type] }
  private var app: CompiledApp { rules.apps[facts.app] }

  private func has(_ field: String) -> Bool {
    guard let token = content.member(field, of: 0) else { return false }
    return content.tokens[token].kind != .null
  }

  private var names: [TakenDefault] {
    var all: [TakenDefault] = []
    if !has("app") { all.append(.init(field: "app", value: appName, source: .app)) }
    if !has("id") { all.append(.init(field: "id", value: "", source: .clock)) }
    return all
  }

  private var life: [TakenDefault] {
    var all: [TakenDefault] = []
    if sentAtIsEstimate {
      all.append(.init(field: "sentAt", value: "", source: .clock))
    }
    if !has("ttl"), !has("expiresAt") {
      all.append(.init(field: "ttl", value: "\(type.ttl)", source: .type))
    }
    if facts.priority == nil {
      all.append(.init(field: "priority", value: type.priority.rawValue, source: .type))
    }
    if !facts.wishIsExplicit, !facts.activity.isPresent {
      all.append(.init(field: "pushType", value: type.pushType.rawValue, source: .type))
    }
    return all
  }

  private var texts: [TakenDefault] {
    var all: [TakenDefault] = []
    if !has("title"), !facts.title.isEmpty { all.append(title) }
    if !has("body"), !facts.body.isEmpty { all.append(body) }
    return all
  }

  private var title: TakenDefault {
    if let own = type.title { return made("title", text(own), .type) }
    let isRoom = type.builtIn == .message && !facts.roomName.isEmpty
    return made("title", isRoom ? "{room.name}" : "{sender.name}", .type)
  }

  private var body: TakenDefault {
    if let own = type.body { return made("body", text(own), .type) }
    if type.builtIn == .callEnd { return made("body", "{texts.missedCall}", .type) }
    let isNamed = !facts.roomName.isEmpty && !facts.senderName.isEmpty
    let hasMessage = !facts.messageText.isEmpty || !facts.image.isEmpty
    let text = facts.messageText.isEmpty ? "{texts.image}" : "{message.text}"
    let parts = [isNamed ? "{sender.name}" : nil, hasMessage ? text : nil]
    return made("body", parts.compactMap(\.self).joined(separator: ": "), .type)
  }

  private var look: [TakenDefault] {
    var all: [TakenDefault] = []
    if !has("threadId"), !facts.threadID.isEmpty { all.append(made("threadId", "room.id", .event)) }
    if !has("image"), !facts.image.isEmpty { all.append(made("image", "message.image", .event)) }
    if !has("channel"), !type.channel.isEmpty {
      all.append(made("channel", content.bytes.string(type.channel), .type))
    }
    if !has("category"), !type.category.isEmpty {
      all.append(made("category", content.bytes.string(type.category), .type))
    }
    if case .unset = facts.sound, facts.hasText, facts.wish == .alert { all.append(sound) }
    if content.targets.contains(where: { $0.provider == .fcm }) { all.append(style) }
    return all
  }

  private var sound: TakenDefault {
    let isFromChannel =
      !facts.channel.isEmpty
      && app.channels.contains { content.bytes.areEqual($0.name, facts.channel) }
    switch DeliveryPlan.sound(content, rules) {
    case .named(let name), .critical(let name, _):
      return made("sound", content.bytes.string(name), isFromChannel ? .app : .type)
    case .silent, .unset: return made("sound", "none", isFromChannel ? .app : .type)
    }
  }

  private var style: TakenDefault {
    let style = type.style ?? app.style
    return made("style", style.rawValue, type.style == nil ? .app : .type)
  }

  private func made(
    _ field: String, _ value: String, _ source: TakenDefault.Source
  ) -> TakenDefault {
    TakenDefault(field: field, value: value, source: source)
  }

  /// A template as the configuration has it.
  private func text(_ template: Template) -> String {
    template.parts.map { part in
      switch part {
      case .words(let words): content.bytes.string(words)
      case .place(let place): "{\(place.rawValue)}"
      }
    }.joined()
  }
}
