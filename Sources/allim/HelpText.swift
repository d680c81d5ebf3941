/// The texts of `--help`, for terminals of 80 columns.
enum HelpText {
  private static let columns = 80

  static var overview: String {
    var text = "allim sends push notifications from Redis lists to APNs and FCM.\n\n"
    text += "usage: allim VERB [options]\n"
    for (title, verbs) in Verb.topics {
      text += "\n\(title):\n"
      text += table(verbs.map { (usage($0), $0.summary) }, width: 22)
    }
    return text + "\n"
      + wrapped(
        "allim VERB --help says more. Exit codes: 0 done, 1 failed, 2 wrong use or configuration,"
          + " 3 Redis not reachable, 4 nothing matched.", indent: 0
      ).joined(separator: "\n")
  }

  /// About everything for "", about a verb, or about those whose names begin with `name`.
  static func about(_ name: String) throws(CommandFailure) -> String {
    if name.isEmpty { return overview }
    if let verb = Verb.all.first(where: { $0.name == name }) { return of(verb) }
    let verbs = Verb.all.filter { $0.name.hasPrefix(name + " ") }
    if verbs.isEmpty { throw unknown(name, Verb.all.map(\.name)) }
    return "usage: allim \(name) \(Verb.words(after: name).joined(separator: "|")) [options]\n\n"
      + table(verbs.map { (usage($0), $0.summary) }, width: 22)
      + "\n`allim VERB --help` says more."
  }

  static func of(_ verb: Verb) -> String {
    var text = "usage: allim \(usage(verb)) [options]\n\n"
    text += wrapped(verb.summary, indent: 0).map { $0 + "\n" }.joined()
    text += wrapped(verb.details, indent: 0).map { $0 + "\n" }.joined()
    text += "\noptions:\n"
    text += table(
      verb.allOptions.map { option in
        (option.name + (option.value.map { " " + $0 } ?? ""), option.help)
      },
      width: 16)
    text += "\nexamples:\n"
    return text + verb.examples.map { "  \($0)" }.joined(separator: "\n")
  }

  private static func usage(_ verb: Verb) -> String {
    verb.operands.isEmpty ? verb.name : "\(verb.name) \(verb.operands)"
  }

  /// Names of at most `width`, and what they mean beside them; a longer name has its own line.
  private static func table(_ rows: [(String, String)], width: Int) -> String {
    let width = min(width, rows.map(\.0.count).max() ?? 0)
    let indent = width + 4
    return rows.map { name, help in
      var lines = wrapped(help, indent: indent)
      let first = "  " + name
      if name.count <= width, !lines.isEmpty {
        lines[0] = first + lines[0].dropFirst(first.count)
      } else {
        lines.insert(first, at: 0)
      }
      return lines.map { $0 + "\n" }.joined()
    }.joined()
  }

  /// Words in lines that fit; what is longer than a line stands alone.
  private static func wrapped(_ text: String, indent: Int) -> [String] {
    let start = String(repeating: " ", count: indent)
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: \.isWhitespace) {
      if !line.isEmpty, indent + line.count + 1 + word.count > columns {
        lines.append(start + line)
        line = ""
      }
      line += (line.isEmpty ? "" : " ") + word
    }
    if !line.isEmpty { lines.append(start + line) }
    return lines
  }
}
