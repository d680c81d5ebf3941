internal import PushQueue
internal import PushSettings

extension Verb {
  static let pause = Verb(
    name: "pause",
    summary: "Stops taking from queues, or sending for an app, until `allim resume`.",
    details: "Without an option: all queues of the configuration. What waits stays in Redis, and"
      + " what is on the wire is finished. Takes effect within one beat (3 s). It lasts, also over"
      + " restarts of workers.",
    options: steerOptions,
    examples: ["allim pause", "allim pause --queue push:bulk", "allim pause --app chat"]
  ) { invocation throws(CommandFailure) in try steer(invocation, isPaused: true) }

  static let resume = Verb(
    name: "resume", summary: "Lifts what `allim pause` with the same options has set.",
    options: steerOptions,
    examples: ["allim resume", "allim resume --queue push:bulk", "allim resume --app chat"]
  ) { invocation throws(CommandFailure) in try steer(invocation, isPaused: false) }

  private static let steerOptions = [
    Option(name: "--queue", value: "Q", help: "this queue alone"),
    Option(name: "--app", value: "A", help: "stop sending for this app; queues are taken from"),
  ]

  private static func steer(
    _ invocation: Invocation, isPaused: Bool
  ) throws(CommandFailure) -> ExitCode {
    try invocation.requireOperands(0...0)
    let access = try RedisAccess(invocation)
    let app = invocation.value("--app")
    if let app, isPaused { try requireApp(app, access.loaded.settings) }
    let queues = access.queues(of: invocation)
    return try access.withQueues(queues) { queues, _ in
      for queue in queues {
        if let app {
          try await queue.setPaused(isPaused, app: app)
        } else {
          try await queue.setPaused(isPaused)
        }
      }
      report(invocation, isPaused, queues.map(\.name), app)
      return .done
    }
  }

  /// A configuration without apps cannot say which exist.
  private static func requireApp(_ app: String, _ settings: Settings) throws(CommandFailure) {
    let known = settings.apps.map(\.name)
    if !known.isEmpty, !known.contains(app) { throw unknown(app, known, what: "app") }
  }

  private static func report(
    _ invocation: Invocation, _ isPaused: Bool, _ queues: [String], _ app: String?
  ) {
    guard !invocation.wantsJSON else {
      Console.print(
        JSONValue.object([
          ("paused", .flag(isPaused)), ("queues", .list(queues.map { .text($0) })),
          ("app", .optional(app)),
        ]).encoded)
      return
    }
    let what = app.map { "app \($0) in " } ?? ""
    Console.print("\(isPaused ? "paused" : "resumed"): \(what)\(queues.joined(separator: ", "))")
  }
}
