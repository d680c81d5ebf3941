import Glibc
import LoopIO
import TestSupport
import Testing

/// The scripts of `allim completion`, run by the shells they are for.
@Suite struct CompletionTests {
  private func script(_ shell: String, _ folder: TemporaryFolder) async throws -> String {
    let printed = try await AllimCommand().run(["completion", shell])
    #expect(printed.status == 0)
    let path = folder.file("allim.\(shell)")
    write([UInt8](printed.text.utf8), to: path)
    return path
  }

  private func run(_ program: String, _ arguments: [String]) async throws -> (Int64, [String]) {
    try await onLoop { loop in
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, program, arguments, output: .lines { lines.append($0) })
      let ending = await child.waitForExit()
      return (
        ending.code, lines.flatMap { $0.split(whereSeparator: \.isWhitespace) }.map(String.init)
      )
    }
  }

  @Test(arguments: [
    (["st"], ["stats"]), (["dead", "c"], ["count"]),
    (["dead", "list", "--re"], ["--reason", "--redis"]),
    (["dead", "list", "--reason", "rej"], ["rejected"]), (["scale", "a"], ["auto"]),
    (["scale", "--instance", "x", "de"], ["default"]), (["completion", "z"], ["zsh"]),
    (["enqueue", "allim.b"], ["allim.bash"]), (["stats", "--queue", "a"], []),
  ])
  func `bash completes verbs, options and values`(typed: [String], offered: [String])
    async throws
  {
    let folder = TemporaryFolder()
    let path = try await script("bash", folder)
    let words = typed.map { "'\($0)'" }.joined(separator: " ")
    let (status, completions) = try await run(
      "/bin/bash",
      [
        "-c",
        "cd \(folder.path); . \(path); COMP_WORDS=(allim \(words)); COMP_CWORD=\(typed.count);"
          + " _allim 2>/dev/null; echo \"${COMPREPLY[@]}\"",
      ])
    #expect(status == 0 && completions == offered, "\(completions)")
  }

  @Test(arguments: [("zsh", "/usr/bin/zsh"), ("fish", "/usr/bin/fish")])
  func `the others can read theirs`(shell: String, program: String) async throws {
    let folder = TemporaryFolder()
    let path = try await script(shell, folder)
    let text = String(decoding: read(path) ?? [], as: UTF8.self)
    #expect(text.contains("allim") && text.contains("retry") && text.contains("rejected"))
    // Where the shell is not installed its script is compared with the table of verbs alone.
    guard unsafe access(program, X_OK) == 0 else { return }
    let (status, output) = try await run(program, ["-n", path])
    #expect(status == 0, "\(output)")
    guard shell == "fish" else { return }
    for (typed, offered) in [("allim st", "stats"), ("allim dead c", "count")] {
      let words = try await run(program, ["-c", "source \(path); complete -C '\(typed)'"]).1
      #expect(words.first == offered, "\(words)")
    }
  }
}
