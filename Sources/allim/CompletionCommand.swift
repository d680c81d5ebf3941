extension Verb {
  static let completion = Verb(
    name: "completion", operands: Shell.allCases.map(\.rawValue).joined(separator: "|"),
    summary: "Prints a script that completes verbs and options in a shell.",
    details: "The Debian package installs them.",
    operandWords: .these(Shell.allCases.map(\.rawValue)),
    examples: [
      "allim completion bash > /etc/bash_completion.d/allim",
      "allim completion zsh > ~/.zfunc/_allim",
      "allim completion fish > ~/.config/fish/completions/allim.fish",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(1...1)
    guard let shell = Shell(rawValue: invocation.operands[0]) else {
      throw unknown(invocation.operands[0], Shell.allCases.map(\.rawValue), what: "shell")
    }
    Console.print(CompletionScript.text(for: shell))
    return .done
  }
}

enum Shell: String, CaseIterable { case bash, zsh, fish }
