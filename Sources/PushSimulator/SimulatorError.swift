/// Why the simulator cannot start, or why a rule was not taken.
package struct SimulatorError: Error, Sendable, Equatable {
  package enum Code: String, Sendable {
    /// A flag, a rule or a call of the control port is wrong.
    case usage
    /// A file cannot be read or written, or does not hold what it should.
    case file
    /// A port cannot be listened on.
    case listen
  }
  package let code: Code
  /// One sentence for a person.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
