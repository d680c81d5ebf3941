internal import PushCrypto
internal import PushModel

/// A letter of the dead-letter list (EVENTS.md 2), read for an operator.
struct DeadLetter {
  let bytes: [UInt8]
  let id: String
  let reason: String
  let detail: String
  let providerReason: String?
  let app: String?
  let type: String?
  /// UNIX milliseconds.
  let takenAt: Int64
  let deadAt: Int64
  let replays: Int
  /// The producer's event; nil when only a part of it was kept.
  let event: [UInt8]?

  /// A record that somebody else put into the list has empty fields and no event.
  init(_ bytes: [UInt8]) {
    let object = JSONObject(bytes)
    self.bytes = bytes
    id = object?.string("id") ?? ""
    reason = object?.string("reason") ?? ""
    detail = object?.string("detail") ?? ""
    providerReason = object?.string("providerReason")
    app = object?.string("app")
    type = object?.string("type")
    takenAt = object?.integer("takenAt") ?? 0
    deadAt = object?.integer("deadAt") ?? 0
    replays = Int(object?.integer("replays") ?? 0)
    let isWhole = reason != DeadReason.itemTooLarge.rawValue
    let raw = isWhole ? object?.string("raw").flatMap { Base64.decode([UInt8]($0.utf8)) } : nil
    event = object?.object("event") ?? raw
  }
}

/// Which letters a command is about.
struct DeadFilter: Sendable {
  var reason: DeadReason?
  var app: String?
  var older: Duration?
  var limit: Int?

  static let options = [
    Verb.queueOption,
    Verb.Option(
      name: "--reason", value: "R", help: "letters of this reason alone",
      words: .these(DeadReason.allCases.map(\.rawValue))),
    Verb.Option(name: "--app", value: "A", help: "letters of this app alone"),
    Verb.Option(name: "--older", value: "D", help: "letters older than this, such as 1h"),
  ]
  static let limitOption = Verb.Option(name: "--limit", value: "N", help: "at most so many")

  init() {}

  /// - Parameter limit: when none is given.
  init(_ invocation: Invocation, limit: Int? = nil) throws(CommandFailure) {
    if let text = invocation.value("--reason") {
      guard let reason = DeadReason(rawValue: text) else {
        throw unknown(text, DeadReason.allCases.map(\.rawValue), what: "reason")
      }
      self.reason = reason
    }
    app = invocation.value("--app")
    older = try invocation.duration("--older")
    self.limit = try invocation.count("--limit", 1...100_000_000) ?? limit
  }

  var isOpen: Bool { reason == nil && app == nil && older == nil }

  /// `now` in UNIX milliseconds.
  func matches(_ letter: DeadLetter, now: Int64) -> Bool {
    if let reason, letter.reason != reason.rawValue { return false }
    if let app, letter.app != app { return false }
    if let older, now - letter.deadAt < older.components.seconds * 1_000 { return false }
    return true
  }
}
