internal import PushSettings

extension Verb {
  static let checkConfig = Verb(
    name: "check-config",
    summary: "Shows every problem of the configuration, or each value and where it came from.",
    details: "Loads the keys. Secrets are shown as ***.",
    options: [
      Option(
        name: "--reference", value: nil,
        help: "print every key that there is, with its meaning, as Markdown")
    ],
    examples: [
      "allim check-config", "allim check-config --config /etc/allim/allim.yaml --json",
      "allim check-config --reference",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    if invocation.has("--reference") {
      Console.print(SettingsReference.markdown)
      return .done
    }
    let loaded = try invocation.loadSettings(isForWorker: true)
    let (problems, warnings) = CredentialCheck.run(loaded)
    guard problems.isEmpty else {
      throw CommandFailure(.misuse, messages: problems.map(\.description))
    }
    for warning in warnings { Console.error("warning: " + shown(warning.description)) }
    if invocation.wantsJSON { printJSON(loaded) } else { printTable(loaded) }
    return .done
  }

  private static func printJSON(_ loaded: LoadedSettings) {
    let settings = loaded.effective.map { setting in
      JSONValue.object([
        ("key", .text(setting.key)), ("value", .optional(setting.value)),
        ("origin", .text(setting.origin)),
      ])
    }
    Console.print(
      JSONValue.object([
        ("file", .optional(loaded.file)), ("embeddedRedis", .flag(loaded.usesEmbeddedRedis)),
        ("settings", .list(settings)),
      ]).encoded)
  }

  private static func printTable(_ loaded: LoadedSettings) {
    Console.table(
      loaded.effective.map { [$0.key, shown($0.value ?? "(not set)"), shown($0.origin)] })
    if loaded.usesEmbeddedRedis { Console.print("Redis: embedded, in ./.allim") }
    Console.print("no problem")
  }
}
