internal import PushQueue
internal import PushTelemetry

extension Verb {
  static let invalidList = Verb(
    name: "invalid list", summary: "Lists dead device tokens, oldest first, and leaves them there.",
    options: [
      queueOption, Option(name: "--limit", value: "N", help: "at most so many; default 50"),
    ],
    examples: ["allim invalid list", "allim invalid list --limit 1000 --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let limit = try invocation.count("--limit", 1...1_000_000) ?? 50
    return try RedisAccess(invocation).withQueue { queue, _ in
      let records = try await queue.invalidTokens(from: 0, count: limit)
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("queue", .text(queue.name)), ("invalid", .list(records.map { .raw($0) })),
          ]).encoded)
      } else if !records.isEmpty {
        Console.table([recordHead] + records.map { recordRow($0) })
      }
      return .done
    }
  }

  static let invalidCount = Verb(
    name: "invalid count", summary: "Counts the dead device tokens in the feedback list.",
    options: [queueOption], examples: ["allim invalid count", "allim invalid count --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    return try RedisAccess(invocation).withQueue { queue, _ in
      let count = try await queue.invalidCount()
      let object = JSONValue.object([("queue", .text(queue.name)), ("count", .number(count))])
      Console.print(invocation.wantsJSON ? object.encoded : String(count))
      return .done
    }
  }

  static let invalidDrain = Verb(
    name: "invalid drain",
    summary: "Prints dead device tokens, one JSON record a line, and removes them from the list.",
    details: "With --json: one object with all of them.",
    options: [queueOption, Option(name: "--limit", value: "N", help: "at most so many")],
    examples: [
      "allim invalid drain > dead-tokens.jsonl", "allim invalid drain --limit 1000 --json",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let limit = try invocation.count("--limit", 1...100_000_000) ?? .max
    return try RedisAccess(invocation).withQueue { queue, _ in
      let count = try await drain(queue, limit, asJSON: invocation.wantsJSON)
      return count == 0 ? .nothingMatched : .done
    }
  }

  /// In batches that are printed before the next is taken: a reader that goes away costs one.
  private static func drain(
    _ queue: QueueInspector, _ limit: Int, asJSON: Bool
  ) async throws -> Int {
    var count = 0
    var all: [JSONValue] = []
    while count < limit {
      let batch = try await queue.drainInvalid(min(100, limit - count))
      if batch.isEmpty { break }
      count += batch.count
      if asJSON {
        all += batch.map { .raw($0) }
      } else if !Console.print(
        batch.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n"))
      {
        throw CommandFailure(
          .failed, "\(batch.count) records were removed and could not be printed")
      }
    }
    if asJSON {
      Console.print(
        JSONValue.object([("queue", .text(queue.name)), ("invalid", .list(all))]).encoded)
    }
    return count
  }

  static let recordHead = ["KIND", "TOKEN", "PROVIDER", "APP", "USER", "REASON"]

  /// A record for people, its token shortened.
  static func recordRow(_ record: [UInt8]) -> [String] {
    let object = JSONObject(record)
    return [
      object?.string("kind"), object?.string("token").map { redact(token: $0) },
      object?.string("provider"), object?.string("app"), object?.string("user"),
      object?.string("reason"),
    ].map { shown($0 ?? "-") }
  }
}
