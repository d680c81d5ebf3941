/// Why there is no good answer: a code to decide by and a detail to print.
///
/// The detail holds Redis' own words, cut short, and never a password, an argument or a payload.
package struct RedisError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable, CaseIterable {
    // The way to Redis. After `timeout` and `closed` the command may have run.
    case unreachable, timeout, closed, notRESP, badURL, cancelled
    // The server or its role is the wrong one for now: connect anew, then the same command again.
    case readOnly, unblocked, masterDown, loading
    // Writes are refused for now.
    case outOfMemory, noReplicas, misconfigured, busy
    // Cluster.
    case moved, ask, tryAgain, clusterDown
    case noScript
    // A person must act.
    case wrongPassword, noAuth, noPermission, wrongType
    case other
  }

  package let code: Code
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }

  /// Whether the connection that brought it must be replaced: after a fail-over it stays open and
  /// would talk to a replica for ever.
  package var endsConnection: Bool {
    switch code {
    case .readOnly, .unblocked, .masterDown, .loading, .timeout, .closed, .notRESP: true
    default: false
    }
  }

  /// Whether the command may have run although no answer came.
  package var mayHaveRun: Bool { code == .timeout || code == .closed || code == .notRESP }
}

extension RedisError {
  /// The error that a server's message means. Inside a script Redis 6.2 puts the code behind its
  /// own words ("ERR Error running script …: -OOM command not allowed"), so it is looked for
  /// anywhere.
  package init(message: String) {
    let words = message.split { !($0.isLetter || $0 == "_") }
    // Redis 7.0 gives it no code where a script's command is denied.
    let isDenied = message.firstRange(of: "The user executing the script can't") != nil
    let found = words.lazy.compactMap { Self.codes[$0] }.first ?? (isDenied ? .noPermission : nil)
    self.init(found ?? .other, Self.withoutArguments(message))
  }

  private static let codes: [Substring: Code] = [
    "READONLY": .readOnly, "UNBLOCKED": .unblocked, "MASTERDOWN": .masterDown,
    "LOADING": .loading, "OOM": .outOfMemory, "NOREPLICAS": .noReplicas,
    "MISCONF": .misconfigured, "BUSY": .busy, "MOVED": .moved, "ASK": .ask,
    "TRYAGAIN": .tryAgain, "CLUSTERDOWN": .clusterDown, "NOSCRIPT": .noScript,
    "WRONGPASS": .wrongPassword, "NOAUTH": .noAuth, "NOPERM": .noPermission,
    "WRONGTYPE": .wrongType,
  ]

  /// With the line of the script that was refused, which names command and key: Redis gives its
  /// number only, and a person must act.
  func quoting(_ script: RedisScript) -> RedisError {
    guard code == .noPermission || code == .wrongType,
      let mark = detail.firstRange(of: "@user_script:"),
      let number = Int(detail[mark.upperBound...].prefix { $0.isNumber })
    else { return self }
    let lines = script.source.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.indices.contains(number - 1) else { return self }
    let line = lines[number - 1].drop { $0 == " " }
    return RedisError(code, "\(detail) That is: \(line)")
  }

  /// "unknown command" repeats arguments, which may be event bytes.
  private static func withoutArguments(_ message: String) -> String {
    let words = "with args beginning with"
    var end = message.endIndex
    var at = message.startIndex
    while at < message.endIndex {
      if message[at...].hasPrefix(words) {
        end = at
        break
      }
      at = message.index(after: at)
    }
    return String(message[..<end].prefix(200))
  }
}
