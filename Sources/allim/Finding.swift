/// One thing that `doctor` has found.
struct Finding: Sendable, Equatable {
  enum Severity: String, Sendable { case note, warning, error }

  var severity: Severity
  /// What it is about, such as `redis`, `queue push:messages` or `apps.chat.fcm`.
  var subject: String
  var what: String
  /// What to do about it; empty when nothing is to be done.
  var remedy: String

  static func note(_ subject: String, _ what: String, _ remedy: String = "") -> Finding {
    Finding(severity: .note, subject: subject, what: what, remedy: remedy)
  }

  static func warning(_ subject: String, _ what: String, _ remedy: String) -> Finding {
    Finding(severity: .warning, subject: subject, what: what, remedy: remedy)
  }

  static func error(_ subject: String, _ what: String, _ remedy: String) -> Finding {
    Finding(severity: .error, subject: subject, what: what, remedy: remedy)
  }

  var json: JSONValue {
    .object([
      ("severity", .text(severity.rawValue)), ("subject", .text(subject)), ("what", .text(what)),
      ("remedy", .text(remedy)),
    ])
  }

  /// A line, and one more for what to do.
  var lines: [String] {
    let first = "\(severity.rawValue): \(shown(subject)): \(shown(what))"
    return remedy.isEmpty ? [first] : [first, "  \(shown(remedy))"]
  }
}
