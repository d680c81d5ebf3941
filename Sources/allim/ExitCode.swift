/// What a command ends with (OPERATIONS.md 1).
enum ExitCode: Int32 {
  case done = 0
  case failed = 1
  /// Wrong use, or a wrong configuration.
  case misuse = 2
  case redisUnreachable = 3
  case nothingMatched = 4
}

/// Why a command ended early: printed to stderr, one line each.
struct CommandFailure: Error {
  var code: ExitCode
  var messages: [String]

  init(_ code: ExitCode, _ messages: String...) {
    self.code = code
    self.messages = messages
  }

  init(_ code: ExitCode, messages: [String]) {
    self.code = code
    self.messages = messages
  }

  static func misuse(_ message: String) -> CommandFailure { CommandFailure(.misuse, message) }
}
