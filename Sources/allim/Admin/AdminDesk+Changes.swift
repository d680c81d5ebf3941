internal import PushAdmin
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker

// Wishes for the fleet, and tokens that the brake holds.
extension AdminDesk {
  /// As `allim scale --json`.
  func scale(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["workers", "instance"])
    let word = try parameters.required("workers")
    let isByLoad = word == "auto"
    let wanted =
      isByLoad || word == "default" ? nil : try parameters.count("workers", 1...65_536)
    let instance = parameters.text("instance")
    if isByLoad, instance != nil {
      throw AdminFailure(400, "auto is for the fleet; for an instance: 1 to 65536, or default")
    }
    // The wishes for the fleet stand beside the first queue.
    let queue = try inspectors()[0]
    let live = try await queue.workers().map(\.instance)
    if let instance, !live.contains(instance) {
      throw AdminFailure(404, "no live instance \"\(instance)\"")
    }
    if isByLoad {
      try await queue.scaleByLoad()
    } else {
      try await queue.scale(wanted, instance: instance)
    }
    return .object([
      ("workers", isByLoad ? .text("auto") : wanted.map { .number($0) } ?? .null),
      ("instance", .optional(instance)), ("instances", .number(instance == nil ? live.count : 1)),
    ])
  }

  /// One queue, one app in all queues, or everything.
  func steer(_ request: AdminRequest, isPaused: Bool) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["queue", "app"])
    let isOne = parameters.text("queue") != nil
    let queues = isOne ? [try inspector(parameters)] : try inspectors()
    let app = parameters.text("app")
    let known = settings().apps.map(\.name)
    if let app, isPaused, !known.contains(app) { throw AdminFailure(404, "no app \"\(app)\"") }
    for queue in queues {
      if let app {
        try await queue.setPaused(isPaused, app: app)
      } else {
        try await queue.setPaused(isPaused)
      }
    }
    return .object([
      ("paused", .flag(isPaused)), ("queues", .list(queues.map { .text($0.name) })),
      ("app", .optional(app)),
    ])
  }

  // MARK: Tokens

  /// The oldest of the feedback list or of what the brake holds, shortened.
  func invalid(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["queue", "list", "limit"])
    let isHeld = try parameters.choice("list", ["invalid", "held"]) == "held"
    let limit = try parameters.count("limit", 1...100) ?? 50
    let queue = try inspector(parameters)
    let count = try await isHeld ? queue.heldCount() : queue.invalidCount()
    let records =
      try await isHeld
      ? queue.heldTokens(from: 0, count: limit) : queue.invalidTokens(from: 0, count: limit)
    return .object([
      ("queue", .text(queue.name)), ("list", .text(isHeld ? "held" : "invalid")),
      ("count", .number(count)), ("tokens", .list(records.map(Self.row))),
    ])
  }

  private static func row(_ record: [UInt8]) -> JSONValue {
    let object = JSONObject(record)
    func text(_ name: String) -> (String, JSONValue) { (name, .optional(object?.string(name))) }
    return .object([
      ("token", .optional(object?.string("token").map { redact(token: $0) })), text("kind"),
      text("app"), text("provider"), text("environment"), text("reason"), text("user"),
      ("observedAt", object?.integer("observedAt").map { .number(Int($0)) } ?? .null),
    ])
  }

  /// All that are held now, or those of one app.
  func decideHeld(_ request: AdminRequest, isDropping: Bool) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["queue", "app"])
    let app = parameters.text("app")
    let queue = try inspector(parameters)
    var left = try await queue.heldCount()
    var (kept, done) = (0, 0)
    while left > 0 {
      let page = try await queue.heldTokens(from: kept, count: min(left, 100))
      if page.isEmpty { break }
      left -= page.count
      let wanted = page.filter { app == nil || JSONObject($0)?.string("app") == app }
      kept += page.count - wanted.count
      done += try await isDropping ? queue.dropHeld(wanted) : queue.releaseHeld(wanted)
    }
    return .object([("done", .number(done))])
  }
}
