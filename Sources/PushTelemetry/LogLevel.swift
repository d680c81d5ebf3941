/// How grave a record is; what lies below the configured level is not even formatted.
package enum LogLevel: UInt8, Sendable, CaseIterable, Comparable {
  case debug, info, warning, error

  package static func < (a: LogLevel, b: LogLevel) -> Bool { a.rawValue < b.rawValue }

  /// The word in records and in `log.level`.
  package var name: String {
    switch self {
    case .debug: "debug"
    case .info: "info"
    case .warning: "warning"
    case .error: "error"
    }
  }

  package init?(name: String) {
    guard let level = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = level
  }

  /// syslog's number, which journald reads from `<n>` at the start of a line.
  var syslogDigit: UInt8 {
    switch self {
    case .debug: UInt8(ascii: "7")
    case .info: UInt8(ascii: "6")
    case .warning: UInt8(ascii: "4")
    case .error: UInt8(ascii: "3")
    }
  }
}

/// The shape of a record: one JSON object, or `key=value` pairs.
package enum LogFormat: String, Sendable, CaseIterable { case json, logfmt }
