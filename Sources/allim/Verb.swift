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
  /// What a shell may offer for the operands.
  var operandWords = Words.none
  var examples: [String]
  var run: @Sendable (Invocation) throws(CommandFailure) -> ExitCode

  struct Option: Sendable {
    /// With its dashes.
    var name: String
    /// How its value is called in the help; nil for a switch.
    var value: String?
    var help: String
    /// What a shell may offer for the value.
    var words = Words.none
  }

  /// What completes a word in a shell.
  enum Words: Sendable, Equatable {
    case none, files
    case these([String])
  }

  /// Of every verb.
  static let commonOptions = [
    Option(
      name: "--config", value: "F",
      help: "configuration file; else $ALLIM_CONFIG, ./allim.yaml, /etc/allim/allim.yaml",
      words: .files),
    Option(name: "--redis", value: "URL", help: "Redis, over the configuration's"),
    Option(name: "--json", value: nil, help: "print one JSON object"),
    Option(name: "--help", value: nil, help: "print this"),
  ]

  static let queueOption = Option(
    name: "--queue", value: "Q", help: "the queue; default: the first of the configuration")

  var allOptions: [Option] { options + Self.commonOptions }
}

extension Verb {
  /// All verbs, as the help shows them.
  static let topics: [(title: String, verbs: [Verb])] = [
    ("The worker", [work, checkConfig, doctor]),
    ("Events", [enqueue, explain, send]),
    ("Look and steer", [stats, workers, scale, pause, resume]),
    ("Dead letters", [deadList, deadShow, deadCount, deadRetry, deadExport, deadPurge]),
    (
      "Dead device tokens",
      [invalidList, invalidCount, invalidDrain, heldList, heldRelease, heldDrop]
    ),
    ("This program", [completion, version]),
  ]

  static var all: [Verb] { topics.flatMap(\.verbs) }

  /// The verb that the arguments begin with, and the arguments behind it.
  static func find(_ arguments: [String]) throws(CommandFailure) -> (Verb, rest: [String]) {
    var known = ""
    for (count, word) in arguments.enumerated() {
      let name = known.isEmpty ? word : "\(known) \(word)"
      if let verb = all.first(where: { $0.name == name }) {
        return (verb, Array(arguments.dropFirst(count + 1)))
      }
      guard !words(after: name).isEmpty else {
        let members = words(after: known).map { known.isEmpty ? $0 : "\(known) \($0)" }
        throw unknown(name, members)
      }
      known = name
    }
    throw .misuse(
      "something is missing; allowed: \(known) \(words(after: known).joined(separator: "|"))")
  }

  /// The words that may follow a part of a verb's name, each once; of all verbs for the empty one.
  static func words(after part: String) -> [String] {
    let start = part.isEmpty ? "" : part + " "
    var words: [String] = []
    for verb in all where verb.name.hasPrefix(start) {
      let word = String(verb.name.dropFirst(start.count).prefix { $0 != " " })
      if !words.contains(word) { words.append(word) }
    }
    return words
  }

  /// The parts of names that verbs share, such as `dead`; the empty one first.
  static var groups: [String] {
    var groups = [""]
    for verb in all {
      var words = verb.name.split(separator: " ").map(String.init)
      while words.popLast() != nil, !words.isEmpty {
        let group = words.joined(separator: " ")
        if !groups.contains(group) { groups.append(group) }
      }
    }
    return groups
  }
}
