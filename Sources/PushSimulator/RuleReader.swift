import PushCodec

/// Reads the JSON of a list of rules; every unknown name and wrong type is refused with its place.
enum RuleReader {
  static func read(_ bytes: [UInt8]) throws(SimulatorError) -> [Rule] {
    var scanner = JSONScanner()
    guard let text = JSONText(bytes, scanner: &scanner) else { throw wrong("rules are no JSON") }
    guard text.kind(0) == .array else { throw wrong("rules are a JSON array") }
    var rules: [Rule] = []
    for (index, at) in text.elements(of: 0).enumerated() {
      rules.append(try rule(Fields(text, at, "rules[\(index)]")))
    }
    return rules
  }

  private static func rule(_ fields: Fields) throws(SimulatorError) -> Rule {
    try fields.allow(["match", "respond", "action", "settings", "times"])
    var rule = Rule()
    if let match = try fields.object("match") { rule.match = try self.match(match) }
    if let respond = try fields.object("respond") { rule.respond = try self.respond(respond) }
    if let settings = try fields.object("settings") { rule.settings = try self.settings(settings) }
    rule.times = try fields.count("times")
    if let name = try fields.string("action") {
      guard let action = Rule.Action(rawValue: name) else {
        let known = Rule.Action.allCases.map(\.rawValue).joined(separator: ", ")
        throw wrong("\(fields.place).action is one of \(known)")
      }
      rule.action = action
    }
    return rule
  }

  private static func match(_ fields: Fields) throws(SimulatorError) -> Rule.Match {
    try fields.allow(["provider", "token", "tokenPrefix", "nth", "every"])
    var match = Rule.Match()
    if let name = try fields.string("provider") {
      guard let provider = ProviderName(rawValue: name) else {
        throw wrong("\(fields.place).provider is apns, fcm or oauth")
      }
      match.provider = provider
    }
    match.token = try fields.string("token").map { Array($0.utf8) }
    match.tokenPrefix = try fields.string("tokenPrefix").map { Array($0.utf8) }
    match.nth = try fields.count("nth")
    match.every = try fields.count("every")
    return match
  }

  private static func respond(_ fields: Fields) throws(SimulatorError) -> Rule.Respond {
    try fields.allow(["status", "reason", "timestamp", "retryAfter", "delayMs", "body"])
    var respond = Rule.Respond()
    respond.status = try fields.count("status")
    if let status = respond.status, !(100...599).contains(status) {
      throw wrong("\(fields.place).status is 100 to 599")
    }
    respond.reason = try fields.string("reason")
    respond.timestamp = try fields.integer("timestamp")
    respond.retryAfter = try fields.integer("retryAfter").map { Int($0) }
    respond.delay = try fields.integer("delayMs") ?? 0
    respond.body = try fields.string("body").map { Array($0.utf8) }
    return respond
  }

  private static func settings(_ fields: Fields) throws(SimulatorError) -> Rule.Settings {
    try fields.allow(["maxConcurrentStreams", "initialWindowSize"])
    return Rule.Settings(
      maxConcurrentStreams: try fields.integer("maxConcurrentStreams").map {
        UInt32(clamping: $0)
      },
      initialWindowSize: try fields.integer("initialWindowSize").map { UInt32(clamping: $0) })
  }

  fileprivate static func wrong(_ detail: String) -> SimulatorError {
    SimulatorError(.usage, detail)
  }
}

/// The members of one JSON object under the name by which an error calls it.
private struct Fields {
  let text: JSONText
  let at: Int
  let place: String

  init(_ text: JSONText, _ at: Int, _ place: String) throws(SimulatorError) {
    guard text.kind(at) == .object else { throw RuleReader.wrong("\(place) is an object") }
    self.text = text
    self.at = at
    self.place = place
  }

  func allow(_ names: [String]) throws(SimulatorError) {
    var unknown: String?
    text.forEachMember(of: at) { key, _ in
      let name = text.string(key)
      if !names.contains(name) { unknown = name }
      return unknown == nil
    }
    guard let unknown else { return }
    let known = names.joined(separator: ", ")
    throw RuleReader.wrong("\(place) has no member \(unknown); it may have \(known)")
  }

  func object(_ name: StaticString) throws(SimulatorError) -> Fields? {
    guard let value = text.given(name, of: at) else { return nil }
    return try Fields(text, value, "\(place).\(name)")
  }

  func string(_ name: StaticString) throws(SimulatorError) -> String? {
    guard let value = text.given(name, of: at) else { return nil }
    guard text.kind(value) == .string else {
      throw RuleReader.wrong("\(place).\(name) is a string")
    }
    return text.string(value)
  }

  func integer(_ name: StaticString) throws(SimulatorError) -> Int64? {
    guard let value = text.given(name, of: at) else { return nil }
    guard let number = text.integer(value), number >= 0 else {
      throw RuleReader.wrong("\(place).\(name) is a whole number, not negative")
    }
    return number
  }

  /// A whole number from 1.
  func count(_ name: StaticString) throws(SimulatorError) -> Int? {
    guard let number = try integer(name) else { return nil }
    guard number > 0 else { throw RuleReader.wrong("\(place).\(name) is at least 1") }
    return Int(number)
  }
}
