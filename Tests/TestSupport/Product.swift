internal import LoopIO

/// A program of this package, as the same build made it that runs the tests.
package struct Product: Sendable {
  package let path: String

  package init(_ name: String) {
    // The tests are one bundle, which lies beside the programs; the runner gets its path.
    let bundle = CommandLine.arguments.first { $0.contains(".xctest") } ?? CommandLine.arguments[0]
    path =
      bundle.split(separator: "/", omittingEmptySubsequences: false).dropLast()
      .joined(separator: "/") + "/" + name
  }

  package struct Ending: Sendable {
    package let status: Int64
    package let output: [String]
  }

  /// Runs it to its end and gives its exit status and the lines of its output.
  package func run(_ arguments: [String], directory: String? = nil) async throws -> Ending {
    try await onLoop { [path] loop in
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, path, arguments, directory: directory, output: .lines { lines.append($0) })
      let exit = await child.waitForExit()
      return Ending(status: exit.signal == 0 ? exit.code : -1, output: lines)
    }
  }
}
