internal import PushModel

// The groups whose keys are names, and the list of queues.
extension SettingsReading {
  mutating func read(_ document: YamlNode, into settings: inout Settings) {
    read(
      document, SettingsTable.root, into: &settings, at: SettingsPosition(),
      groups: [
        "queues": { $2.queues($1, &$0) }, "apps": { $2.apps($1, &$0) },
        "types": { $2.types($1, &$0) },
      ])
  }

  private mutating func queues(_ node: YamlNode, _ settings: inout Settings) {
    guard case .list(let items, _) = node, !items.isEmpty else {
      return add(
        line(node.line), "queues", nil, "allowed: a list of {name: …, weight: …, lease: …}")
    }
    settings.queues = items.enumerated().map { number, item in
      var queue = Settings.Queue()
      places["queues.\(number)"] = line(item.line)
      let position = SettingsPosition(prefix: "queues.\(number).")
      read(item, SettingsTable.queue, into: &queue, at: position)
      return queue
    }
  }

  private mutating func apps(_ node: YamlNode, _ settings: inout Settings) {
    for (name, node) in named(node, "apps") {
      var app = Settings.App(name: name)
      let position = SettingsPosition(prefix: "apps.\(name).")
      read(
        node, SettingsTable.app, into: &app, at: position,
        groups: ["channels": { $2.channels($1, &$0) }])
      settings.apps.append(app)
    }
  }

  private mutating func channels(_ node: YamlNode, _ app: inout Settings.App) {
    let key = "apps.\(app.name).channels"
    for (name, node) in named(node, key) {
      var channel = AppRules.ChannelRules()
      let position = SettingsPosition(prefix: "\(key).\(name).")
      read(node, SettingsTable.channel, into: &channel, at: position)
      app.channels[name] = channel
    }
  }

  private mutating func types(_ node: YamlNode, _ settings: inout Settings) {
    for (name, node) in named(node, "types") {
      var type = settings.types[name] ?? TypeRules()
      let position = SettingsPosition(prefix: "types.\(name).")
      read(node, SettingsTable.type, into: &type, at: position)
      settings.types[name] = type
    }
  }

  /// The entries of a group of names. Names become parts of Redis keys, metric labels and
  /// variables of the environment.
  private mutating func named(_ node: YamlNode, _ key: String) -> [(String, YamlNode)] {
    guard let entries = map(node, key: key) else { return [] }
    return entries.compactMap { entry in
      guard Self.isName(entry.key) else {
        add(
          line(entry.line), key, entry.key,
          "not allowed; allowed: a name of 1 to 64 letters, digits, hyphens and underscores")
        return nil
      }
      places["\(key).\(entry.key)"] = line(entry.line)
      return (entry.key, entry.node)
    }
  }

  private static func isName(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.unicodeScalars.allSatisfy {
        $0.isASCII
          && ($0.properties.isAlphabetic || ("0"..."9").contains($0)
            || "-_".contains(Character($0)))
      }
  }
}
