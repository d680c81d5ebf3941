internal import PushCodec
internal import PushModel
internal import PushTelemetry

/// One event as `explain` shows it.
struct EventExplanation {
  private var id: String
  private var type: String?
  private var app: String?
  private var fault: ItemFault?
  private var moments: [(String, Int64)] = []
  private var defaults: [TakenDefault] = []
  private var unknownFields = 0
  private var targets: [TargetExplanation] = []

  init(_ fault: ItemFault) {
    self.fault = fault
    (id, type, app) = (fault.id, fault.type, fault.app)
  }

  init(_ event: DecodedEvent, _ targets: [TargetExplanation]) {
    (id, type, app) = (event.id, event.typeName, event.appName)
    moments = [("sentAt", event.sentAtMs)]
    if event.notBefore > 0 { moments.append(("notBefore", event.notBefore * 1_000)) }
    moments.append(("expiresAt", event.expiresAt * 1_000))
    defaults = event.takenDefaults
    unknownFields = event.unknownFields
    self.targets = targets
  }

  /// Nothing of it ends as a dead letter, and nothing has expired.
  var isDeliverable: Bool { fault == nil && targets.allSatisfy(\.isDeliverable) }

  var text: String {
    var lines = [shown("event \(id): \(type ?? "no type"), app \(app ?? "unknown")")]
    if let fault { lines.append("  dead letter \(fault.reason.rawValue): \(shown(fault.detail))") }
    if !moments.isEmpty {
      let words = moments.map { "\($0.0) \(Timestamp.text(milliseconds: $0.1))" }
      lines.append("  " + words.joined(separator: ", "))
    }
    for source in [TakenDefault.Source.type, .app, .event, .clock] {
      let taken = defaults.filter { $0.source == source }
      if taken.isEmpty { continue }
      let words = taken.map { $0.value.isEmpty ? $0.field : "\($0.field) \($0.value)" }
      lines += Self.wrapped(Self.title(of: source), words)
    }
    if unknownFields > 0 { lines.append("  unknown fields, ignored: \(unknownFields)") }
    return (lines + targets.map { "\n" + $0.text }).joined(separator: "\n")
  }

  /// `  title: a, b, c` on as many lines as it needs.
  private static func wrapped(_ title: String, _ words: [String]) -> [String] {
    var lines = ["  \(title):"]
    for (number, word) in words.enumerated() {
      let word = shown(word) + (number == words.count - 1 ? "" : ",")
      if lines[lines.count - 1].count + word.count + 1 > 98 { lines.append("   ") }
      lines[lines.count - 1] += " " + word
    }
    return lines
  }

  private static func title(of source: TakenDefault.Source) -> String {
    switch source {
    case .type: "from the type"
    case .app: "from the app"
    case .event: "from other fields"
    case .clock: "made at the first take"
    }
  }

  var json: JSONValue {
    var members: [(String, JSONValue)] = [
      ("id", .text(id)), ("type", .optional(type)), ("app", .optional(app)),
    ]
    members += moments.map { ($0.0, .number(Int($0.1 / 1_000))) }
    members += [
      ("defaults", .list(defaults.map(Self.json))), ("unknownFields", .number(unknownFields)),
      ("fault", fault.map { TargetExplanation.json($0.reason, $0.detail) } ?? .null),
      ("targets", .list(targets.map(\.json))),
    ]
    return .object(members)
  }

  private static func json(_ taken: TakenDefault) -> JSONValue {
    .object([
      ("field", .text(taken.field)), ("value", .text(taken.value)),
      ("source", .text(taken.source.rawValue)),
    ])
  }
}

/// One target of an event as `explain` shows it.
struct TargetExplanation {
  enum Fate {
    case request(RequestListing)
    case dead(DeadReason, String)
    case expired(TypeRules.ExpiredRule)
  }

  private let place: String
  private let user: String?
  private let platform: Platform?
  private let token: String
  var fate = Fate.expired(.count)

  init(_ event: DecodedEvent, _ index: Int) {
    place = event.place(of: index)
    user = event.user(of: index)
    platform = event.target(index).platform
    token = event.redactedToken(of: index)
  }

  var isDeliverable: Bool {
    if case .request = fate { return true }
    return false
  }

  var text: String {
    let names = [user.map { "user \($0)" }, platform?.rawValue, token.isEmpty ? nil : token]
    let heading = "\(place): \(names.compactMap(\.self).joined(separator: ", "))"
    return "# \(shown(heading))\n" + ending
  }

  private var ending: String {
    switch fate {
    case .request(let listing): listing.text
    case .dead(let reason, let detail): "dead letter \(reason.rawValue): \(shown(detail))"
    case .expired(.letter): "expired: nothing is sent, a dead letter is filed"
    case .expired(.count): "expired: nothing is sent, it is only counted"
    }
  }

  var json: JSONValue {
    var (request, fault) = (JSONValue.null, JSONValue.null)
    switch fate {
    case .request(let listing): request = listing.json
    case .dead(let reason, let detail): fault = Self.json(reason, detail)
    case .expired: fault = Self.json(.expired, ending)
    }
    return .object([
      ("place", .text(place)), ("user", .optional(user)),
      ("platform", .optional(platform?.rawValue)), ("request", request), ("fault", fault),
    ])
  }

  static func json(_ reason: DeadReason, _ detail: String) -> JSONValue {
    .object([("reason", .text(reason.rawValue)), ("detail", .text(detail))])
  }
}
