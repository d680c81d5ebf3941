internal import PushSettings

/// What was typed behind a verb.
struct Invocation: Sendable {
  var verb: Verb
  var operands: [String] = []
  /// By option name; the value of a switch is empty.
  var values: [String: String] = [:]

  var wantsJSON: Bool { values["--json"] != nil }

  func value(_ option: String) -> String? { values[option] }
  func has(_ option: String) -> Bool { values[option] != nil }

  /// The option as a whole number in a range; nil when it was not given.
  func count(_ option: String, _ range: ClosedRange<Int>) throws(CommandFailure) -> Int? {
    guard let text = value(option) else { return nil }
    guard let number = Int(text), range.contains(number) else {
      throw .misuse(
        "\(option) \"\(text)\" is not allowed; allowed: \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  func duration(_ option: String) throws(CommandFailure) -> Duration? {
    guard let text = value(option) else { return nil }
    guard let duration = Duration(setting: text) else {
      throw .misuse(
        "\(option) \"\(text)\" is not allowed; allowed: a number with ms, s, m, h or d, such as 15m"
      )
    }
    return duration
  }

  /// Refuses operands beyond `most`.
  func requireOperands(_ allowed: ClosedRange<Int>) throws(CommandFailure) {
    if allowed.contains(operands.count) { return }
    let what = operands.count < allowed.lowerBound ? "something is missing" : "too much was given"
    throw .misuse("\(what); allowed: allim \(verb.name) \(verb.operands)")
  }
}

extension Invocation {
  /// Options may stand anywhere behind the verb, as `--name value` or `--name=value`; `--` ends
  /// them.
  init(_ verb: Verb, _ arguments: [String]) throws(CommandFailure) {
    self.verb = verb
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      if argument == "--" {
        operands += rest
        return
      }
      guard argument.hasPrefix("-"), argument != "-" else {
        operands.append(argument)
        continue
      }
      try read(argument == "-h" ? "--help" : argument, &rest)
    }
  }

  private mutating func read(
    _ argument: String, _ rest: inout ArraySlice<String>
  ) throws(CommandFailure) {
    let equals = argument.firstIndex(of: "=")
    let name = String(argument[..<(equals ?? argument.endIndex)])
    guard let option = verb.allOptions.first(where: { $0.name == name }) else {
      throw unknown(name, verb.allOptions.map(\.name), what: "option")
    }
    guard values[name] == nil else { throw .misuse("\(name) is given twice") }
    let given = equals.map { String(argument[argument.index(after: $0)...]) }
    guard option.value != nil else {
      guard given == nil else { throw .misuse("\(name) takes no value") }
      values[name] = ""
      return
    }
    guard let value = given ?? rest.popFirst() else {
      throw .misuse("\(name) needs a value: \(name) \(option.value ?? "")")
    }
    values[name] = value
  }
}

/// The failure for a word that is not known, with the nearest that is.
func unknown(_ word: String, _ known: [String], what: String = "verb") -> CommandFailure {
  let hint =
    nearestName(to: word, among: known).map { ", did you mean \"\($0)\"?" }
    ?? "; allowed: " + known.joined(separator: ", ")
  return .misuse("unknown \(what) \"\(word)\"\(hint)")
}
