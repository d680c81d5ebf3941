internal import PushQueue

extension Verb {
  static let scale = Verb(
    name: "scale", operands: "N|default",
    summary:
      "Sets the number of worker tasks of every process, or of one instance, while they run.",
    details:
      "Takes effect within one beat (3 s). `default` gives the number back to the configuration.",
    options: [
      Option(
        name: "--instance", value: "I", help: "this instance alone, as `allim workers` names it")
    ], examples: ["allim scale 512", "allim scale 16 --instance 9f2c.0", "allim scale default"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(1...1)
    let wanted = try workerCount(invocation.operands[0])
    let instance = invocation.value("--instance")
    // The wishes for the fleet stand beside the first queue.
    return try RedisAccess(invocation).withQueue { queue, _ in
      let live = try await queue.workers().map(\.instance)
      if let instance, !live.contains(instance) {
        throw CommandFailure(
          .nothingMatched,
          "no live instance \"\(instance)\"; live: \(live.isEmpty ? "none" : live.joined(separator: ", "))"
        )
      }
      try await queue.scale(wanted, instance: instance)
      let text = wanted.map { String($0) } ?? "default"
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("workers", wanted.map { .number($0) } ?? .null), ("instance", .optional(instance)),
            ("instances", .number(instance == nil ? live.count : 1)),
          ]).encoded)
      } else {
        let whom =
          instance.map { "instance \($0)" } ?? "every process (\(live.count) instances live)"
        Console.print("workers: \(text) for \(whom)")
      }
      return .done
    }
  }

  private static func workerCount(_ text: String) throws(CommandFailure) -> Int? {
    if text == "default" { return nil }
    if text == "auto" {
      throw .misuse("auto is not supported yet; allowed: 1 to 65536, or default")
    }
    guard let count = Int(text), (1...65_536).contains(count) else {
      throw .misuse("\"\(text)\" is not allowed; allowed: 1 to 65536, or default")
    }
    return count
  }
}
