import PushModel

/// Turns the tokens of an item into facts, entries and targets, or says which field is wrong.
///
/// One for each codec: made anew for each item it would count its parts' owners each time.
final class EventReader {
  let rules: CompiledRules
  let tables = KeyTables()
  let devices: DeviceReader
  /// UNIX milliseconds.
  @safe @exclusivity(unchecked) private(set) var firstTaken: Int64 = 0
  @safe @exclusivity(unchecked) private(set) var now: Int64 = 0

  init(rules: CompiledRules) {
    self.rules = rules
    devices = DeviceReader(rules: rules, tables: tables)
  }

  /// - Parameter queueID: names the event when it has no id of its own.
  func read(
    _ content: EventContent, _ queueID: QueueID, firstTaken: Int64, now: Int64
  ) throws(EventFault) {
    self.firstTaken = firstTaken
    self.now = now
    guard let root = content.tokens.first, root.kind == .object else {
      throw EventFault(.invalidEvent, "the item is not a JSON object")
    }
    let fields = content.fields(of: 0, tables.event)
    content.facts.unknownFields = fields.unknown
    // First what names the event, so that a letter about any other fault can name it too.
    try readID(fields, queueID, content)
    if let key = fields.repeated { throw repeated(key, content) }
    try readVersion(fields, content)
    try readType(fields, content)
    try readApp(fields, content)
    try UnicodeCheck.event(content, fields)
    try readParts(fields, content)
    try readText(fields, content)
    try readTime(fields, content)
    try readLook(fields, content)
    try readSound(fields[.sound], content)
    try readActivity(fields[.liveActivity], content)
    try readBlocks(fields, content)
    readWish(fields, content)
    TextMaker(rules: rules).fill(content)
    try readData(fields, content)
    try readTargets(fields, content)
    try ContentCheck(rules: rules).check(content)
  }

  func repeated(_ key: Int, _ content: EventContent, in path: String = "") -> EventFault {
    let name = content.shown(key)
    return EventFault(.invalidEvent, "\(path.isEmpty ? "" : path + ": ")key \(name) given twice")
  }

  private func readID(
    _ fields: borrowing Fields<EventKey>, _ queueID: QueueID, _ content: EventContent
  ) throws(EventFault) {
    let id = try content.string(fields[.id], FieldPath("id"))
    guard id.isPresent else {
      let start = content.bytes.arena.count
      content.bytes.arena.append(queueID.text)
      content.facts.id = Piece(.arena, start..<content.bytes.arena.count, .text)
      return
    }
    guard (1...128).contains(id.length) else {
      throw .invalid(FieldPath("id"), "\(id.length) bytes, allowed are 1 to 128")
    }
    content.facts.id = id
  }

  private func readVersion(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    guard let token = fields[.v] else { return }
    guard content.tokens[token].isWhole else {
      throw .invalid(FieldPath("v"), "not an integer")
    }
    if content.integer(content.tokens[token]) != 1 {
      throw EventFault(.unsupportedVersion, "v: \(content.shown(token)), known is 1")
    }
  }

  private func readType(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    let name = try content.string(fields[.type], FieldPath("type"))
    guard name.isPresent else { throw .invalid(FieldPath("type"), "required") }
    guard let index = index(of: name, content, rules.types.count, { rules.types[$0].nameBytes })
    else {
      let given = content.shown(fields[.type] ?? 0)
      throw EventFault(.unknownType, "type: \(given) is neither built in nor configured")
    }
    content.facts.type = index
  }

  private func readApp(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    let name = try content.string(fields[.app], FieldPath("app"))
    guard name.isPresent else {
      if rules.apps.count == 1 { return }
      throw EventFault(.unknownApp, "app: required, since \(rules.apps.count) are configured")
    }
    guard let index = index(of: name, content, rules.apps.count, { rules.apps[$0].nameBytes })
    else {
      throw EventFault(
        .unknownApp, "app: \(content.shown(fields[.app] ?? 0)) is not configured")
    }
    content.facts.app = index
  }

  @inline(__always)
  private func index(
    of name: Piece, _ content: EventContent, _ count: Int, _ known: (Int) -> Piece
  ) -> Int? {
    for i in 0..<count where content.bytes.areEqual(known(i), name) { return i }
    return nil
  }

  private func readParts(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    if let token = try content.object(fields[.room], FieldPath("room")) {
      let room = content.fields(of: token, tables.part)
      content.facts.roomID = try content.identifier(room[.id], FieldPath("id", in: "room"))
      content.facts.roomName = try content.string(room[.name], FieldPath("name", in: "room"))
    }
    if let token = try content.object(fields[.sender], FieldPath("sender")) {
      let sender = content.fields(of: token, tables.part)
      content.facts.senderID = try content.identifier(sender[.id], FieldPath("id", in: "sender"))
      content.facts.senderName = try content.string(
        sender[.name], FieldPath("name", in: "sender"))
      content.facts.senderImage = try content.string(
        sender[.image], FieldPath("image", in: "sender"))
    }
    if let token = try content.object(fields[.message], FieldPath("message")) {
      let message = content.fields(of: token, tables.part)
      content.facts.messageID = try content.identifier(
        message[.id], FieldPath("id", in: "message"))
      content.facts.messageText = try content.string(
        message[.text], FieldPath("text", in: "message"))
      content.facts.image = try content.string(
        message[.image], FieldPath("image", in: "message"))
    }
  }

  private func readText(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    content.facts.title = try content.string(fields[.title], FieldPath("title"))
    content.facts.subtitle = try content.string(fields[.subtitle], FieldPath("subtitle"))
    content.facts.body = try content.string(fields[.body], FieldPath("body"))
    content.facts.titleLocKey = try content.string(fields[.titleLocKey], FieldPath("titleLocKey"))
    content.facts.locKey = try content.string(fields[.locKey], FieldPath("locKey"))
    content.facts.titleLocArgs = try arguments(
      fields[.titleLocArgs], FieldPath("titleLocArgs"), content)
    content.facts.locArgs = try arguments(fields[.locArgs], FieldPath("locArgs"), content)
    let image = try content.string(fields[.image], FieldPath("image"))
    if image.isPresent { content.facts.image = image }
    content.facts.url = try content.string(fields[.url], FieldPath("url"))
  }

  /// An array of strings; numbers become strings when written.
  private func arguments(
    _ token: Int?, _ path: FieldPath, _ content: EventContent
  ) throws(EventFault) -> Int {
    guard let token else { return -1 }
    guard content.tokens[token].kind == .array else { throw .invalid(path, "not an array") }
    var at = token + 1
    while at < Int(content.tokens[token].next) {
      guard content.tokens[at].kind == .string || content.tokens[at].kind == .number else {
        throw .invalid(path, "\(content.shown(at)) is neither a string nor a number")
      }
      at = Int(content.tokens[at].next)
    }
    return token
  }

  private func readBlocks(
    _ fields: borrowing Fields<EventKey>, _ content: EventContent
  ) throws(EventFault) {
    content.facts.traceparent = try content.string(fields[.traceparent], FieldPath("traceparent"))
    if let token = try content.object(fields[.apns], FieldPath("apns")) {
      let apns = content.fields(of: token, tables.apns)
      content.facts.apnsHeaders =
        try content.object(apns[.headers], FieldPath("headers", in: "apns")) ?? -1
      content.facts.apnsPayload =
        try content.object(apns[.payload], FieldPath("payload", in: "apns")) ?? -1
      try HeaderBlock.check(content)
    }
    if let token = try content.object(fields[.fcm], FieldPath("fcm")) {
      content.facts.fcm = token
      content.fcmBlock = try FCMChecker.normalise(content, token)
    }
  }

  /// The block of headers has the last word on the push type, then the event, then the type.
  private func readWish(_ fields: borrowing Fields<EventKey>, _ content: EventContent) {
    if let asked = HeaderBlock.pushType(content) ?? content.facts.explicitPushType {
      content.facts.wish = asked
      content.facts.wishIsExplicit = true
    } else if content.facts.activity.isPresent {
      content.facts.wish = .liveactivity
    } else {
      content.facts.wish = rules.types[content.facts.type].pushType
    }
  }
}
