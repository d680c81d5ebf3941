internal import PushQueue

extension Verb {
  static let scale = Verb(
    name: "scale", operands: "N|auto|default",
    summary:
      "Sets the number of worker tasks of every process, or of one instance, while they run.",
    details:
      "Takes effect within one beat (3 s). `auto` follows rate × round trip; `default` gives the"
      + " number back to the configuration. An instance is one loop of a process.",
    options: [
      Option(
        name: "--instance", value: "I", help: "this instance alone, as `allim workers` names it")
    ], operandWords: .these(["auto", "default"]),
    examples: [
      "allim scale 512", "allim scale auto", "allim scale 16 --instance 9f2c.0",
      "allim scale default",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(1...1)
    let wish = try Wish(invocation.operands[0])
    let instance = invocation.value("--instance")
    if wish == .auto, instance != nil {
      throw .misuse("auto is for the fleet; with --instance allowed: 1 to 65536, or default")
    }
    // The wishes for the fleet stand beside the first queue.
    return try RedisAccess(invocation).withQueue { queue, _ in
      let live = try await queue.workers().map(\.instance)
      if let instance, !live.contains(instance) {
        throw CommandFailure(
          .nothingMatched,
          "no live instance \"\(instance)\"; live: \(live.isEmpty ? "none" : live.joined(separator: ", "))"
        )
      }
      switch wish {
      case .auto: try await queue.scaleByLoad()
      case .count(let count): try await queue.scale(count, instance: instance)
      case .asConfigured: try await queue.scale(nil, instance: instance)
      }
      if invocation.wantsJSON {
        Console.print(
          JSONValue.object([
            ("workers", wish.json), ("instance", .optional(instance)),
            ("instances", .number(instance == nil ? live.count : 1)),
          ]).encoded)
      } else {
        let whom =
          instance.map { "instance \($0)" } ?? "every process (\(live.count) instances live)"
        Console.print("workers: \(wish.text) for \(whom)")
      }
      return .done
    }
  }

}

/// What is asked of the worker tasks.
private enum Wish: Equatable {
  case count(Int)
  case auto, asConfigured

  init(_ text: String) throws(CommandFailure) {
    switch text {
    case "auto": self = .auto
    case "default": self = .asConfigured
    default:
      guard let count = Int(text), (1...65_536).contains(count) else {
        throw .misuse("\"\(text)\" is not allowed; allowed: 1 to 65536, auto, or default")
      }
      self = .count(count)
    }
  }

  var text: String {
    switch self {
    case .count(let count): String(count)
    case .auto: "auto"
    case .asConfigured: "default"
    }
  }

  var json: JSONValue {
    switch self {
    case .count(let count): .number(count)
    case .auto: .text("auto")
    case .asConfigured: .null
    }
  }
}
