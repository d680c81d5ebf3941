import PushModel

/// What an Apple device gets: push type follows content (EVENTS.md).
struct DeliveryPlan {
  var pushType = PushType.alert
  /// 10, 5 or 1.
  var priority: UInt8 = 10
  var showsText = false
  var sound = SoundWish.silent
  var badge: Int32?
  var contentAvailable = false
  var mutableContent = false
  /// A call shown as an alert.
  var isTimeSensitive = false
  /// Keys that the type adds to the custom data; some push types carry the app's own alone.
  var carriesTypeKeys = true
  var notes: BuildNotes.Changes = []

  init() {}

  /// Both classes are borrowed: what an initialiser is given it else owns.
  init(
    _ content: borrowing EventContent, _ target: PushTarget, _ rules: borrowing CompiledRules
  ) {
    let recipient = content.recipients[Int(target.recipient)]
    badge = recipient.badge
    contentAvailable = content.facts.contentAvailable
    let asked = content.facts.priority
    priority = Self.number(asked ?? rules.types[content.facts.type].priority)
    switch content.facts.wish {
    case .alert, .background:
      followContent(content, rules, asked)
    case .voip:
      if case .voip = target.kind {
        pushType = .voip
        showsText = content.facts.hasText
      } else {
        followContent(content, rules, asked)
        isTimeSensitive = content.facts.interruptionLevel.isEmpty
      }
    case .liveactivity:
      pushType = .liveactivity
      priority = priority == 10 ? 10 : 5
      carriesTypeKeys = false
    case .location:
      pushType = .location
      priority = priority == 10 ? 10 : 5
    case .mdm, .fileprovider, .widgets, .controls:
      pushType = content.facts.wish
      carriesTypeKeys = false
    case .complication, .pushtotalk:
      pushType = content.facts.wish
    }
  }

  private mutating func followContent(
    _ content: EventContent, _ rules: CompiledRules, _ asked: EventPriority?
  ) {
    showsText = content.facts.hasText
    sound = Self.sound(content, rules)
    if showsText {
      pushType = .alert
      mutableContent =
        content.facts.mutableContent || !content.facts.image.isEmpty
        || !content.facts.senderImage.isEmpty
    } else if badge != nil || content.facts.sound.isSound {
      pushType = .alert
      priority = asked.map(Self.number) ?? 5
      if rules.types[content.facts.type].builtIn == .read { contentAvailable = true }
    } else {
      if asked == .high || asked == .low { notes.insert(.priority) }
      pushType = .background
      priority = 5
      contentAvailable = true
    }
    if pushType != content.facts.wish { notes.insert(.pushType) }
    if content.facts.mutableContent, !showsText { notes.insert(.mutableContent) }
  }

  static func number(_ priority: EventPriority) -> UInt8 {
    switch priority {
    case .high: 10
    case .normal: 5
    case .low: 1
    }
  }

  /// The event's own sound, else the channel's rule, else the type's, else the default sound.
  static func sound(
    _ content: EventContent, _ rules: CompiledRules
  ) -> SoundWish {
    if case .unset = content.facts.sound {} else { return content.facts.sound }
    if !content.facts.hasText { return .silent }
    if !content.facts.channel.isEmpty {
      for channel in rules.apps[content.facts.app].channels
      where content.bytes.areEqual(channel.name, content.facts.channel) {
        switch channel.sound {
        case .none: return .silent
        case .named: return .named(channel.file)
        case .inherit: break
        }
      }
    }
    let own = rules.types[content.facts.type].sound
    if content.bytes.isEqual(own, "none") { return .silent }
    return .named(own.orIfEmpty(rules.names.defaultSound))
  }
}
