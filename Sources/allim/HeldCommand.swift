internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker

// Records that the mass-invalidation brake holds back: so many tokens of one credential died at once
// that a wrong key or topic is more likely than so many uninstalled apps.
extension Verb {
  private static let appOption = Option(
    name: "--app", value: "A", help: "records of this app alone")
  private static let dryOption = Option(
    name: "--dry-run", value: nil, help: "only say how many it would be")

  static let heldList = Verb(
    name: "invalid held list",
    summary: "Lists device tokens that the mass-invalidation brake holds back.",
    options: [
      queueOption, appOption,
      Option(name: "--limit", value: "N", help: "at most so many; default 50"),
    ], examples: ["allim invalid held list", "allim invalid held list --app chat --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let limit = try invocation.count("--limit", 1...1_000_000) ?? 50
    let app = invocation.value("--app")
    return try RedisAccess(invocation).withQueue { queue, _ in
      var records: [[UInt8]] = []
      var position = 0
      while records.count < limit {
        let page = try await queue.heldTokens(from: position, count: 100)
        if page.isEmpty { break }
        position += page.count
        records += page.filter { isOf(app, $0) }.prefix(limit - records.count)
      }
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("queue", .text(queue.name)), ("held", .list(records.map { .raw($0) })),
          ]).encoded)
      } else if !records.isEmpty {
        Console.table([recordHead] + records.map { recordRow($0) })
      }
      return records.isEmpty && app != nil ? .nothingMatched : .done
    }
  }

  static let heldRelease = Verb(
    name: "invalid held release",
    summary: "Moves held device tokens to the feedback list: they are dead indeed.",
    options: [queueOption, appOption, dryOption],
    examples: ["allim invalid held release", "allim invalid held release --app chat --dry-run"]
  ) { invocation throws(CommandFailure) in try move(invocation, isDropping: false) }

  static let heldDrop = Verb(
    name: "invalid held drop",
    summary: "Drops held device tokens: they are alive, the mistake was ours.",
    options: [queueOption, appOption, dryOption],
    examples: ["allim invalid held drop --app chat", "allim invalid held drop --dry-run"]
  ) { invocation throws(CommandFailure) in try move(invocation, isDropping: true) }

  private static func move(
    _ invocation: Invocation, isDropping: Bool
  ) throws(CommandFailure) -> ExitCode {
    try invocation.requireOperands(0...0)
    let app = invocation.value("--app")
    let isDry = invocation.has("--dry-run")
    let access = try RedisAccess(invocation)
    return try access.withQueue { queue, _ in
      var moved = 0
      // Records of other apps, which stay in front.
      var position = 0
      while case let page = try await queue.heldTokens(from: position, count: 100), !page.isEmpty {
        let ours = page.filter { isOf(app, $0) }
        position += isDry ? page.count : page.count - ours.count
        if isDry {
          moved += ours.count
        } else if isDropping {
          moved += try await queue.dropHeld(ours)
        } else {
          moved += try await queue.releaseHeld(
            ours, invalidMax: access.loaded.settings.invalid.max)
        }
      }
      report(moved, isDropping ? "dropped" : "released", isDry, invocation, queue.name)
      return moved == 0 ? .nothingMatched : .done
    }
  }

  private static func isOf(_ app: String?, _ record: [UInt8]) -> Bool {
    app == nil || JSONObject(record)?.string("app") == app
  }

  private static func report(
    _ count: Int, _ what: String, _ isDry: Bool, _ invocation: Invocation, _ queue: String
  ) {
    guard invocation.wantsJSON else {
      Console.print(isDry ? "would be \(what): \(count)" : "\(what) \(count)")
      return
    }
    Console.print(
      JSONValue.object([
        ("queue", .text(queue)), (what, .number(count)), ("dryRun", .flag(isDry)),
      ]).encoded)
  }
}
