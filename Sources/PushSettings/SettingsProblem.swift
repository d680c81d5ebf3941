/// One thing wrong with a configuration: where, which key, which value, and what is allowed.
package struct SettingsProblem: Error, Sendable, Equatable, CustomStringConvertible {
  /// `allim.yaml:12`, `environment`, `flag --redis`, or empty when something is missing.
  package var place: String
  /// The full key, such as `apps.chat.apns.topic`.
  package var key: String
  /// As written, nil when there is none or it is secret.
  package var value: String?
  /// What is wrong and what is allowed instead.
  package var reason: String

  package init(place: String, key: String, value: String? = nil, reason: String) {
    self.place = place
    self.key = key
    self.value = value
    self.reason = reason
  }

  /// One line: control characters are escaped, long values cut.
  package var description: String {
    var text = place.isEmpty ? "" : place + ": "
    if !key.isEmpty { text += Self.shown(key) }
    if let value { text += ": \"\(Self.shown(value))\"" }
    if !key.isEmpty || value != nil { text += ": " }
    return text + reason
  }

  private static func shown(_ value: String) -> String {
    var text = ""
    for scalar in value.unicodeScalars.prefix(200) {
      switch scalar.value {
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069:
        text += "\\u{\(String(scalar.value, radix: 16))}"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return value.unicodeScalars.count > 200 ? text + "…" : text
  }
}

/// Everything wrong with a configuration, in the order of the file.
package struct SettingsProblems: Error, Sendable, CustomStringConvertible {
  package var problems: [SettingsProblem]

  package init(_ problems: [SettingsProblem]) { self.problems = problems }

  package var description: String { problems.map(\.description).joined(separator: "\n") }
}
