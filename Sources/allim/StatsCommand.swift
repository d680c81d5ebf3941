internal import LoopIO
internal import PushQueue
internal import PushWorker

extension Verb {
  static let stats = Verb(
    name: "stats",
    summary:
      "Prints ready, delayed, in flight, parked, dead (by reason), invalid, oldest age, workers.",
    details: "Without --queue: every queue of the configuration, one column each; with --json one"
      + " object, or {\"queues\":[…]} for several.",
    options: [
      Option(name: "--queue", value: "Q", help: "this queue alone"),
      Option(name: "--watch", value: nil, help: "again every 2 s, with rates, until interrupted"),
    ],
    examples: ["allim stats", "allim stats --watch", "allim stats --queue push:calls --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let access = try RedisAccess(invocation)
    return try access.withQueues(access.queues(of: invocation)) { queues, loop in
      var last = try await look(queues, access, since: [])
      show(last, invocation)
      while invocation.has("--watch") {
        try await loop.sleep(.seconds(2))
        last = try await look(queues, access, since: last)
        show(last, invocation)
      }
      return .done
    }
  }

  private static func look(
    _ queues: [QueueInspector], _ access: RedisAccess, since last: [StatsReport]
  ) async throws(QueueError) -> [StatsReport] {
    var reports: [StatsReport] = []
    for (index, queue) in queues.enumerated() {
      reports.append(try await StatsReport(queue, access, since: last.isEmpty ? nil : last[index]))
    }
    return reports
  }

  private static func show(_ reports: [StatsReport], _ invocation: Invocation) {
    if invocation.wantsJSON {
      let json = reports.map(\.json)
      Console.print(
        (json.count == 1 ? json[0] : JSONValue.object([("queues", .list(json))])).encoded)
      return
    }
    if invocation.has("--watch") {
      // Over the last ones on a terminal, below them anywhere else.
      if Console.isWatched { Console.clear() } else { Console.print("") }
    }
    Console.table(StatsReport.table(reports))
  }
}
