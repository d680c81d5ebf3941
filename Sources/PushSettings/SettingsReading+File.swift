internal import PushModel

/// Where the walk through the file stands.
struct SettingsPosition {
  /// The keys around the root of the table in use, such as `apps.chat.`.
  var prefix = ""
  /// Within the table, such as `apns.`.
  var path = ""
}

extension SettingsReading {
  typealias Group<Root> = (inout Root, YamlNode, inout SettingsReading) -> Void

  /// Reads the keys of one group; `groups` are those that a table cannot name, since their keys
  /// are names or numbers.
  mutating func read<Root>(
    _ node: YamlNode, _ rows: [SettingRow<Root>], into root: inout Root,
    at position: SettingsPosition, groups: [String: Group<Root>] = [:]
  ) {
    guard let entries = map(node, key: String((position.prefix + position.path).dropLast())) else {
      return
    }
    for entry in entries {
      let local = position.path + entry.key
      let full = position.prefix + local
      places[full] = line(entry.line)
      if let row = rows.first(where: { $0.path == local }) {
        guard let text = text(entry.node, key: full, allowed: row.allowed) else { continue }
        set(
          row, of: &root, prefix: position.prefix, to: text, from: .file, at: line(entry.line))
      } else if let group = groups[local] {
        group(&root, entry.node, &self)
      } else if rows.contains(where: { $0.path.hasPrefix(local + ".") }) {
        var inner = position
        inner.path = local + "."
        read(entry.node, rows, into: &root, at: inner, groups: groups)
      } else {
        let known = rows.map(\.path) + groups.keys
        refuse(entry, full, position, known: known)
      }
    }
  }

  /// A group's entries; an empty group is none, anything else is a problem.
  mutating func map(_ node: YamlNode, key: String) -> [YamlEntry]? {
    if case .map(let entries, _) = node { return entries }
    if node.isEmpty { return [] }
    add(line(node.line), key, nil, "\(node.kind) where a group of keys is allowed")
    return nil
  }

  /// A value as text with its variables expanded; a list of values is joined by commas.
  private mutating func text(_ node: YamlNode, key: String, allowed: String) -> String? {
    switch node {
    case .scalar(let raw, let line, _):
      guard !node.isEmpty else {
        add(self.line(line), key, nil, "no value; allowed: \(allowed)")
        return nil
      }
      return expand(raw, key, line)
    case .list(let items, let line):
      var parts: [String] = []
      for item in items {
        guard case .scalar(let raw, _, _) = item else {
          add(self.line(line), key, nil, "\(item.kind) in a list; allowed: \(allowed)")
          return nil
        }
        guard let part = expand(raw, key, line) else { return nil }
        parts.append(part)
      }
      return parts.joined(separator: ",")
    case .map(_, let line):
      add(self.line(line), key, nil, "a group of keys; allowed: \(allowed)")
      return nil
    }
  }

  /// `${NAME}` stands for a variable of the environment, `$${` for `${` itself.
  private mutating func expand(_ raw: String, _ key: String, _ line: Int) -> String? {
    var text = ""
    var rest = raw[...]
    while let start = rest.firstRange(of: "${") {
      if rest[..<start.lowerBound].hasSuffix("$") {
        text += rest[..<start.lowerBound].dropLast() + "${"
        rest = rest[start.upperBound...]
        continue
      }
      text += rest[..<start.lowerBound]
      guard let end = rest[start.upperBound...].firstIndex(of: "}") else {
        add(self.line(line), key, nil, "${ without }; allowed: ${NAME}, or $${ for the text itself")
        return nil
      }
      let name = String(rest[start.upperBound..<end])
      guard let value = environment[name] else {
        add(self.line(line), key, "${\(name)}", "the variable is not set in the environment")
        return nil
      }
      text += value
      rest = rest[rest.index(after: end)...]
    }
    return text + rest
  }

  private mutating func refuse(
    _ entry: YamlEntry, _ full: String, _ position: SettingsPosition, known: [String]
  ) {
    let siblings = Self.names(of: known, below: position.path)
    let elsewhere = SettingsTable.patterns.filter { $0.hasSuffix("." + entry.key) }
    let nearest =
      nearestName(to: entry.key, among: siblings)
      ?? (elsewhere.first.map { "\($0)" })
    let hint = nearest.map { ", did you mean \"\($0)\"?" } ?? ";"
    add(
      line(entry.line), full, nil, "unknown key\(hint) allowed: \(siblings.joined(separator: ", "))"
    )
  }

  /// The first words of the paths below a group, in the table's order.
  private static func names(of paths: [String], below path: String) -> [String] {
    var names: [String] = []
    for known in paths where known.hasPrefix(path) {
      let name = String(known.dropFirst(path.count).prefix { $0 != "." })
      if !names.contains(name) { names.append(name) }
    }
    return names
  }
}
