/// One thing the program does.
struct Verb: Sendable {
  /// As typed; two words for the verbs of a group, such as `dead list`.
  var name: String
  /// What follows it beside options, such as `[FILE…|-]`; empty for nothing.
  var operands = ""
  var summary: String
  /// More about it for `--help`; may be empty.
  var details = ""
  var options: [Option] = []
  var examples: [String]
  var run: @Sendable (Invocation) throws(CommandFailure) -> ExitCode

  struct Option: Sendable {
    /// With its dashes.
    var name: String
    /// How its value is called in the help; nil for a switch.
    var value: String?
    var help: String
  }

  /// Of every verb.
  static let commonOptions = [
    Option(
      name: "--config", value: "F",
      help: "configuration file; else $ALLIM_CONFIG, ./allim.yaml, /etc/allim/allim.yaml"),
    Option(name: "--redis", value: "URL", help: "Redis, over the configuration's"),
    Option(name: "--json", value: nil, help: "print one JSON object"),
    Option(name: "--help", value: nil, help: "print this"),
  ]

  static let queueOption = Option(
    name: "--queue", value: "Q", help: "the queue; default: the first of the configuration")

  var allOptions: [Option] { options + Self.commonOptions }
}

extension Verb {
  static let all: [Verb] = [
    work, checkConfig, doctor, enqueue, explain, stats, deadList, deadShow, deadCount, deadRetry,
    invalidList,
    invalidCount, invalidDrain, workers, scale, send, version,
  ]

  /// The verb that the arguments begin with, and the arguments behind it.
  static func find(_ arguments: [String]) throws(CommandFailure) -> (Verb, rest: [String]) {
    let group = arguments.prefix(2).joined(separator: " ")
    if let verb = all.first(where: { $0.name == group }) {
      return (verb, Array(arguments.dropFirst(2)))
    }
    if let verb = all.first(where: { $0.name == arguments[0] }) {
      return (verb, Array(arguments.dropFirst()))
    }
    let members = all.filter { $0.name.hasPrefix(arguments[0] + " ") }.map(\.name)
    guard members.isEmpty else {
      throw unknown(arguments.prefix(2).joined(separator: " "), members)
    }
    throw unknown(arguments[0], names)
  }

  /// First words of all verbs, each once.
  static var names: [String] {
    var names: [String] = []
    for verb in all {
      let name = String(verb.name.prefix { $0 != " " })
      if !names.contains(name) { names.append(name) }
    }
    return names
  }
}
