import PushModel

// How a message looks, sounds and behaves on the device.
extension EventReader {
  func readLook(_ fields: borrowing Fields<EventKey>, _ content: EventContent)
    throws(EventFault)
  {
    content.facts.collapseKey = try content.string(fields[.collapseKey], FieldPath("collapseKey"))
    content.facts.channel = try content.string(fields[.channel], FieldPath("channel"))
      .orIfEmpty(rules.types[content.facts.type].channel)
    content.facts.category = try content.string(fields[.category], FieldPath("category"))
      .orIfEmpty(rules.types[content.facts.type].category)
    content.facts.threadID = try content.string(fields[.threadId], FieldPath("threadId"))
      .orIfEmpty(content.facts.roomID)
    content.facts.targetContentID = try content.string(
      fields[.targetContentId], FieldPath("targetContentId"))
    content.facts.filterCriteria = try content.string(
      fields[.filterCriteria], FieldPath("filterCriteria"))
    content.facts.mutableContent = try content.flag(
      fields[.mutableContent], FieldPath("mutableContent"))
    content.facts.contentAvailable = try content.flag(
      fields[.contentAvailable], FieldPath("contentAvailable"))
    content.facts.badge = try badge(fields[.badge], FieldPath("badge"), content)
    content.facts.priority = try tables.priorities.find(
      fields[.priority], FieldPath("priority"), content)
    content.facts.explicitPushType = try tables.pushTypes.find(
      fields[.pushType], FieldPath("pushType"), content)
    try readLevel(fields, content)
  }

  /// 0 clears, absent leaves: two different things (BR-05).
  @inline(__always)
  func badge(
    _ token: Int?, _ path: @autoclosure () -> FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int32? {
    guard let value = try content.integer(token, in: 0...Int64(Int32.max), path()) else {
      return nil
    }
    return Int32(truncatingIfNeeded: value)
  }

  private func readLevel(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    let path = FieldPath("interruptionLevel")
    if try tables.levels.find(fields[.interruptionLevel], path, content) != nil {
      content.facts.interruptionLevel = try content.string(fields[.interruptionLevel], path)
    }
    guard let token = fields[.relevanceScore] else { return }
    guard let score = content.double(content.tokens[token]),
      fields[.liveActivity] != nil || (0...1).contains(score)
    else {
      throw .invalid(
        FieldPath("relevanceScore"), "\(content.shown(token)) is not a number from 0 to 1")
    }
    content.facts.relevanceScore = Piece(content.tokens[token], .number)
  }

  func readSound(_ token: Int?, _ content: EventContent) throws(EventFault) {
    guard let token else { return }
    switch content.tokens[token].kind {
    case .no: content.facts.sound = .silent
    case .string:
      let name = content.text(token)
      content.facts.sound = name.isEmpty ? .silent : .named(name)
    case .object: try readSoundObject(token, content)
    default:
      throw .invalid(FieldPath("sound"), "\(content.shown(token)) is no name, object or false")
    }
  }

  private func readSoundObject(
    _ token: Int, _ content: EventContent
  ) throws(EventFault) {
    let fields = content.fields(of: token, tables.sound)
    let name = try content.string(fields[.name], FieldPath("name", in: "sound"))
      .orIfEmpty(rules.names.defaultSound)
    let critical = try content.flag(fields[.critical], FieldPath("critical", in: "sound"))
    var volume = Piece.none
    if let token = fields[.volume] {
      guard let value = content.double(content.tokens[token]), (0...1).contains(value) else {
        throw .invalid(
          FieldPath("volume", in: "sound"),
          "\(content.shown(token)) is not a number from 0 to 1")
      }
      volume = Piece(content.tokens[token], .number)
    }
    // The dictionary is for critical alerts only (protocol/apns.md 9.3).
    content.facts.sound = critical ? .critical(name, volume: volume) : .named(name)
  }

  func readActivity(_ token: Int?, _ content: EventContent) throws(EventFault) {
    guard let token = try content.object(token, FieldPath("liveActivity")) else { return }
    func path(_ name: StaticString) -> FieldPath { FieldPath(name, in: "liveActivity") }
    let fields = content.fields(of: token, tables.activity)
    var activity = EventFacts.Activity()
    activity.isPresent = true
    guard
      let event = try tables.activityEvents.find(fields[.event], path("event"), content)
    else { throw .invalid(path("event"), "required") }
    activity.event = try content.string(fields[.event], path("event"))
    activity.contentState =
      try content.object(fields[.contentState], path("contentState")) ?? -1
    activity.attributesType = try content.string(fields[.attributesType], path("attributesType"))
    activity.attributes = try content.object(fields[.attributes], path("attributes")) ?? -1
    activity.alert = try content.object(fields[.alert], path("alert")) ?? -1
    activity.staleDate = try moment(fields[.staleDate], path("staleDate"), content)
    activity.dismissalDate = try moment(fields[.dismissalDate], path("dismissalDate"), content)
    activity.timestamp = try moment(fields[.timestamp], path("timestamp"), content)
    // protocol/apns.md 10.
    if event != .end, activity.contentState < 0 {
      throw .invalid(path("contentState"), "required")
    }
    if event == .start {
      if activity.attributesType.isEmpty { throw .invalid(path("attributesType"), "required") }
      if activity.attributes < 0 { throw .invalid(path("attributes"), "required") }
      if activity.alert < 0, content.facts.title.isEmpty, content.facts.body.isEmpty {
        throw .invalid(path("alert"), "required to start")
      }
    }
    content.facts.activity = activity
  }

  private func moment(
    _ token: Int?, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Piece {
    guard let token, try seconds(token, path, content) != nil else { return .none }
    return Piece(content.tokens[token], .number)
  }
}

enum InterruptionLevel: String, CaseIterable {
  case passive, active
  case timeSensitive = "time-sensitive"
  case critical
}

enum ActivityEvent: String, CaseIterable { case start, update, end }
