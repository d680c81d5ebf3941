internal import PushQueue
internal import PushWorker

extension Verb {
  static let deadPurge = Verb(
    name: "dead purge", summary: "Removes dead letters for good.",
    details: "Without a filter: all of them. Where a person sits before it, it asks first.",
    options: DeadFilter.options + [
      DeadFilter.limitOption,
      Option(name: "--dry-run", value: nil, help: "only say how many would go"),
      Option(name: "--yes", value: nil, help: "do not ask"),
    ],
    examples: [
      "allim dead purge --older 7d", "allim dead purge --reason invalid_event --dry-run",
      "allim dead purge --app chat --yes",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let filter = try DeadFilter(invocation)
    let isDry = invocation.has("--dry-run")
    return try RedisAccess(invocation).withQueue { queue, _ in
      if !isDry, !invocation.has("--yes"), Console.hasPerson {
        let what = filter.isOpen ? "all \(try await queue.deadCount())" : "all matching"
        guard Console.confirms("remove \(what) dead letters of \(queue.name)?") else {
          return .failed
        }
      }
      var purged = 0
      var bar = ProgressBar()
      bar.begin()
      try await queue.scanDead(filter) { page in
        purged +=
          isDry
          ? page.letters.count
          : try await queue.purgeDead(page.letters.map(\.bytes), depth: page.depth)
        bar.show("removed", count: purged, part: page.part)
      }
      bar.end()
      report(purged, isDry, invocation, queue.name)
      return purged == 0 ? .nothingMatched : .done
    }
  }

  private static func report(
    _ purged: Int, _ isDry: Bool, _ invocation: Invocation, _ queue: String
  ) {
    guard invocation.wantsJSON else {
      Console.print("\(isDry ? "would remove" : "removed") \(purged)")
      return
    }
    Console.print(
      JSONValue.object([
        ("queue", .text(queue)), ("purged", .number(purged)), ("dryRun", .flag(isDry)),
      ]).encoded)
  }

  static let deadExport = Verb(
    name: "dead export",
    summary: "Prints dead letters whole, one JSON object a line, and leaves them there.",
    details: "With --json: one object with all of them. They hold the events with their texts.",
    options: DeadFilter.options + [DeadFilter.limitOption],
    examples: [
      "allim dead export > dead.jsonl", "allim dead export --reason rejected --app chat --older 1d",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let filter = try DeadFilter(invocation)
    return try RedisAccess(invocation).withQueue { queue, _ in
      var count = 0
      if invocation.wantsJSON {
        Console.print("{\"queue\":\(JSONValue.text(queue.name).encoded),\"letters\":[")
      }
      try await queue.scanDead(filter) { page in
        for letter in page.letters {
          let comma = invocation.wantsJSON && count > 0 ? "," : ""
          guard Console.print(comma + letter.line) else {
            throw CommandFailure(.failed, "\(count) letters were printed, then the reader was gone")
          }
          count += 1
        }
      }
      if invocation.wantsJSON { Console.print("]}") }
      return count == 0 ? .nothingMatched : .done
    }
  }
}

extension DeadLetter {
  /// On one line: between JSON's tokens a blank is as good as a line end.
  fileprivate var line: String {
    String(decoding: bytes.map { $0 == 10 || $0 == 13 ? 0x20 : $0 }, as: UTF8.self)
  }
}
