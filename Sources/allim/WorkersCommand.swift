internal import PushQueue
internal import PushWorker

extension Verb {
  static let workers = Verb(
    name: "workers",
    summary: "Lists live instances: lease left, busy, capacity, host, version, admin address.",
    options: [queueOption], examples: ["allim workers", "allim workers --queue push:calls --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let access = try RedisAccess(invocation)
    return try access.withQueue { queue, _ in
      let entries = try await queue.workers()
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("queue", .text(queue.name)), ("workers", .list(entries.map(\.json))),
          ]).encoded)
      } else if entries.isEmpty {
        Console.error("no live instance: nothing is being sent")
      } else {
        Console.table(
          [["INSTANCE", "LEASE", "BUSY", "WORKERS", "HOST", "VERSION", "ADMIN"]]
            + entries.map(\.row))
      }
      return .done
    }
  }
}

extension WorkerEntry {
  fileprivate var leaseSeconds: Double {
    Double(leaseLeft.components.seconds) + Double(leaseLeft.components.attoseconds) / 1e18
  }

  var json: JSONValue {
    .object([
      ("instance", .text(instance)), ("leaseLeftSeconds", .decimal(leaseSeconds)),
      ("busy", .number(status.busy)), ("capacity", .number(status.capacity)),
      ("host", .text(status.host)), ("version", .text(status.version)),
      ("admin", .text(status.adminAddress)),
    ])
  }

  fileprivate var row: [String] {
    let lease = "\((leaseSeconds * 10).rounded() / 10)s"
    return [
      instance, lease, String(status.busy), String(status.capacity), status.host, status.version,
      status.adminAddress,
    ].map { shown($0.isEmpty ? "-" : $0) }
  }
}
