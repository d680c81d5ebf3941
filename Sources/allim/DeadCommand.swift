internal import PushModel
internal import PushQueue
internal import SharedState

extension Verb {
  static let deadList = Verb(
    name: "dead list", summary: "Lists dead letters, oldest first, without their events.",
    options: DeadFilter.options + [
      Option(name: "--limit", value: "N", help: "at most so many; default 50")
    ],
    examples: ["allim dead list", "allim dead list --reason rejected --older 1h --limit 10 --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let filter = try DeadFilter(invocation, limit: 50)
    return try RedisAccess(invocation).withQueue { queue, _ in
      var letters: [DeadLetter] = []
      try await queue.scanDead(filter) { letters += $0.letters }
      if invocation.wantsJSON {
        printLetters(letters, queue.name)
      } else if letters.isEmpty {
        Console.error(filter.isOpen ? "no dead letters" : "no dead letter matches")
      } else {
        let now = SystemClock().wall()
        let head = ["ID", "AGE", "REASON", "APP", "TYPE", "DETAIL"]
        Console.table([head] + letters.map { $0.row(now: now) })
      }
      return letters.isEmpty && !filter.isOpen ? .nothingMatched : .done
    }
  }

  static let deadShow = Verb(
    name: "dead show", operands: "ID",
    summary: "Prints the letters of an event, whole, with the event and its text.",
    options: [queueOption], examples: ["allim dead show 7f1c2d", "allim dead show 7f1c2d --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(1...1)
    let filter = try DeadFilter(invocation)
    return try RedisAccess(invocation).withQueue { queue, _ in
      var letters: [DeadLetter] = []
      try await queue.scanDead(filter) { page in
        letters += page.letters.filter { $0.id == invocation.operands[0] }
      }
      if invocation.wantsJSON {
        printLetters(letters, queue.name)
      } else {
        if letters.isEmpty { Console.error("no dead letter of this event") }
        for letter in letters {
          Console.print(shown(String(decoding: letter.bytes, as: UTF8.self)))
        }
      }
      return letters.isEmpty ? .nothingMatched : .done
    }
  }

  static let deadCount = Verb(
    name: "dead count", summary: "Counts dead letters, all and by reason.",
    options: DeadFilter.options,
    examples: ["allim dead count", "allim dead count --app chat --older 1d"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let filter = try DeadFilter(invocation)
    return try RedisAccess(invocation).withQueue { queue, _ in
      var counts: [String: Int] = [:]
      try await queue.scanDead(filter) { page in
        for letter in page.letters { counts[letter.reason, default: 0] += 1 }
      }
      let total = counts.values.reduce(0, +)
      let reasons = counts.sorted { $0.key < $1.key }
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("queue", .text(queue.name)), ("count", .number(total)),
            ("byReason", .object(reasons.map { ($0.key, .number($0.value)) })),
          ]).encoded)
      } else {
        Console.table(
          [["all", String(total)]] + reasons.map { ["  " + shown($0.key), String($0.value)] })
      }
      return .done
    }
  }

  private static func printLetters(_ letters: [DeadLetter], _ queue: String) {
    Console.print(
      JSONValue.object([
        ("queue", .text(queue)), ("letters", .list(letters.map { .raw($0.bytes) })),
      ]).encoded)
  }
}

extension DeadLetter {
  fileprivate func row(now: Int64) -> [String] {
    let what = [providerReason, detail].compactMap { $0 }.filter { !$0.isEmpty }
    return [
      id, deadAt == 0 ? "-" : Self.age(now - deadAt), reason, app ?? "-", type ?? "-",
      what.joined(separator: ": "),
    ]
    .map { shown($0) }
  }

  private static func age(_ milliseconds: Int64) -> String {
    let seconds = max(0, milliseconds / 1_000)
    switch seconds {
    case ..<120: return "\(seconds)s"
    case ..<7_200: return "\(seconds / 60)m"
    case ..<172_800: return "\(seconds / 3_600)h"
    default: return "\(seconds / 86_400)d"
    }
  }
}
