/// From arguments to an exit code.
enum CommandLineTool {
  static func run(_ arguments: [String]) -> ExitCode {
    guard let first = arguments.first else {
      Console.error(HelpText.overview)
      return .misuse
    }
    do throws(CommandFailure) {
      if ["--help", "-h", "help"].contains(first) {
        Console.print(try HelpText.about(arguments.dropFirst().joined(separator: " ")))
        return .done
      }
      return try start(first == "--version" ? ["version"] : arguments)
    } catch {
      report(error, asJSON: arguments.contains("--json"))
      return error.code
    }
  }

  private static func start(_ arguments: [String]) throws(CommandFailure) -> ExitCode {
    if let last = arguments.last, ["--help", "-h"].contains(last) {
      let part = arguments.dropLast().joined(separator: " ")
      if Verb.groups.contains(part) {
        Console.print(try HelpText.about(part))
        return .done
      }
    }
    let (verb, rest) = try Verb.find(arguments)
    let invocation = try Invocation(verb, rest)
    if invocation.has("--help") {
      Console.print(HelpText.of(verb))
      return .done
    }
    return try verb.run(invocation)
  }

  private static func report(_ failure: CommandFailure, asJSON: Bool) {
    guard asJSON else {
      for message in failure.messages { Console.error("allim: " + shown(message)) }
      return
    }
    let messages = failure.messages.map { JSONValue.text($0) }
    Console.error(
      JSONValue.object([
        ("error", .text(failure.messages.first ?? "")), ("errors", .list(messages)),
        ("exitCode", .number(Int(failure.code.rawValue))),
      ]).encoded)
  }
}
