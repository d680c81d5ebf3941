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

  /// What is typed behind `allim`, and what is offered for the last word.
  private static let typed: [([String], [String])] = [
    (["st"], ["stats"]), (["dead", "c"], ["count"]),
    (["dead", "list", "--re"], ["--reason", "--redis"]),
    (["dead", "list", "--reason", "rej"], ["rejected"]), (["scale", "a"], ["auto"]),
    (["scale", "--instance", "x", "de"], ["default"]), (["completion", "z"], ["zsh"]),
    (["enqueue", "allim.c"], ["allim.c-file"]), (["stats", "--queue", "a"], []),
  ]

  /// An operand of `enqueue` in this folder.
  private func folderWithFile() -> TemporaryFolder {
    let folder = TemporaryFolder()
    write([], to: folder.file("allim.c-file"))
    return folder
  }

  @Test(arguments: typed)
  func `bash completes verbs, options and values`(typed: [String], offered: [String])
    async throws
  {
    let folder = folderWithFile()
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

  @Test(.enabled(if: isInstalled("fish")), arguments: typed)
  func `fish completes the same`(typed: [String], offered: [String]) async throws {
    let folder = folderWithFile()
    let path = try await script("fish", folder)
    let words = (["allim"] + typed).joined(separator: " ")
    let (status, lines) = try await run(
      "/usr/bin/fish",
      [
        "--no-config", "-c",
        "cd \(folder.path); source \(path); complete -C '\(words)' | string split -f1 \\t; true",
      ])
    #expect(status == 0 && lines == offered, "\(lines)")
  }

  /// An interactive shell on a terminal of its own: all that matches is put on the line, and the
  /// line is printed.
  private static let zsh = #"""
    zmodload zsh/zpty || exit 1
    zpty shell TERM=dumb zsh -f -i
    zpty -w shell "PS1= PS2=; unsetopt zle_bracketed_paste
    autoload -U compinit; compinit -u -D; cd $3; source $1
    zle -C all-matches complete-word _generic; bindkey '^Xa' all-matches
    zstyle ':completion:all-matches::::' completer _all_matches _complete
    zstyle ':completion:all-matches:*' insert true
    show() { print -rn -- \"<<\$BUFFER>>\"; BUFFER=; zle accept-line }
    zle -N show; bindkey '^Xs' show; print REA''DY"
    zpty -r shell out '*READY*'
    zpty -w -n shell "$2"$'\x18a\x18s'
    zpty -r shell out '*<<*>>*'
    print -r -- "${${out#*<<}%%>>*}"
    """#

  @Test(.enabled(if: isInstalled("zsh")), arguments: typed)
  func `zsh completes the same`(typed: [String], offered: [String]) async throws {
    let folder = folderWithFile()
    let path = try await script("zsh", folder)
    let words = ["allim"] + typed
    let (status, line) = try await run(
      "/usr/bin/timeout",
      ["60", "zsh", "-f", "-c", Self.zsh, "-", path, words.joined(separator: " "), folder.path])
    let expected = words.dropLast() + (offered.isEmpty ? typed.suffix(1) : offered)
    #expect(status == 0 && line == Array(expected), "\(line)")
  }

  private static func isInstalled(_ shell: String) -> Bool {
    unsafe access("/usr/bin/\(shell)", X_OK) == 0
  }
}
