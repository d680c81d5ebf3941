/// The texts of `--help`.
enum HelpText {
  static var overview: String {
    var text = """
      allim sends push notifications from Redis lists to APNs and FCM.

      usage: allim VERB [options]


      """
    text += table(Verb.all.map { ("\($0.name) \($0.operands)", $0.summary) })
    return text + """

      allim VERB --help says more. Exit codes: 0 done, 1 failed, 2 wrong use or configuration,
      3 Redis not reachable, 4 nothing matched.
      """
  }

  static func of(_ verb: Verb) -> String {
    var text = "usage: allim \(verb.name)"
    if !verb.operands.isEmpty { text += " " + verb.operands }
    text += " [options]\n\n\(verb.summary)\n"
    if !verb.details.isEmpty { text += verb.details + "\n" }
    text += "\noptions:\n"
    text += table(verb.allOptions.map { ("\($0.name) \($0.value ?? "")", $0.help) })
    text += "\nexamples:\n"
    return text + verb.examples.map { "  \($0)" }.joined(separator: "\n")
  }

  private static func table(_ rows: [(String, String)]) -> String {
    let width = rows.map(\.0.count).max() ?? 0
    return rows.map { name, help in
      "  \(name)\(String(repeating: " ", count: width - name.count + 2))\(help)\n"
    }.joined()
  }
}
