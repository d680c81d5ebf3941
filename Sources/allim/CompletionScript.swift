/// Completion scripts, made from the table of verbs.
///
/// Each script first finds the verb: the leading words as far as they are known. Then it offers the
/// words of a group, or the options and operands of a verb, or the values of the option before.
enum CompletionScript {
  static func text(for shell: Shell) -> String {
    switch shell {
    case .bash: bash
    case .zsh: zsh
    case .fish: fish
    }
  }

  /// Every beginning of a verb's name.
  private static var beginnings: [String] { Verb.groups.dropFirst() + Verb.all.map(\.name) }

  /// What a verb does; of a group, the words behind it.
  private static func help(of name: String) -> String {
    Verb.all.first { $0.name == name }?.summary ?? Verb.words(after: name).joined(separator: ", ")
  }

  // MARK: bash

  private static var bash: String {
    """
    # bash completion for allim; made by `allim completion bash`
    _allim() {
      local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}"
      local verb="" at=1 words="" files=""
      while [ "$at" -lt "$COMP_CWORD" ]; do
        case "${verb:+$verb }${COMP_WORDS[at]}" in
          \(beginnings.map { "\"\($0)\"" }.joined(separator: "|")))
            verb="${verb:+$verb }${COMP_WORDS[at]}" ;;
          *) break ;;
        esac
        at=$((at + 1))
      done
      COMPREPLY=()
      case "$verb $previous" in
    \(optionCases.map { "    \($0.pattern)) \(assignment($0.words)) ;;\n" }.joined())    *)
          case "$verb" in
    \(groupCases)\(verbCases)      esac ;;
      esac
      COMPREPLY=($(compgen -W "$words" -- "$current"))
      if [ -n "$files" ] && [[ "$current" != -* ]]; then
        compopt -o filenames 2>/dev/null
        COMPREPLY+=($(compgen -f -- "$current"))
      fi
    }
    complete -F _allim allim
    """
  }

  /// An option that takes a value, behind its verb.
  private static var optionCases: [(pattern: String, words: Verb.Words)] {
    Verb.all.flatMap { verb in
      verb.allOptions.filter { $0.value != nil }
        .map { ("\"\(verb.name) \($0.name)\"", $0.words) }
    }
  }

  private static func assignment(_ words: Verb.Words) -> String {
    switch words {
    case .none: ""
    case .files: "files=1"
    case .these(let words): "words=\"\(words.joined(separator: " "))\""
    }
  }

  private static var groupCases: String {
    Verb.groups.map { group in
      "      \"\(group)\") words=\"\(Verb.words(after: group).joined(separator: " "))\" ;;\n"
    }.joined()
  }

  private static var verbCases: String {
    Verb.all.map { verb in
      var words = verb.allOptions.map(\.name)
      if case .these(let operands) = verb.operandWords { words = operands + words }
      let files = verb.operandWords == .files ? "; files=1" : ""
      return "      \"\(verb.name)\") words=\"\(words.joined(separator: " "))\"\(files) ;;\n"
    }.joined()
  }

  // MARK: zsh

  private static var zsh: String {
    """
    #compdef allim
    # zsh completion for allim; made by `allim completion zsh`
    _allim() {
      local verb="" at=2
      local -a offered
      while (( at < CURRENT )); do
        case "${verb:+$verb }${words[at]}" in
          (\(beginnings.map { "\"\($0)\"" }.joined(separator: "|")))
            verb="${verb:+$verb }${words[at]}" ;;
          (*) break ;;
        esac
        (( at++ ))
      done
      case "$verb ${words[CURRENT-1]}" in
    \(optionCases.map { "    (\($0.pattern)) \(zshValues($0.words)); return ;;\n" }.joined())  esac
      case "$verb" in
    \(Verb.groups.map { "    (\"\($0)\") offered=(\(zshWords(of: $0)))\n      _describe verb offered ;;\n" }.joined())\(Verb.all.map(zshCase).joined())  esac
    }
    if [ "$funcstack[1]" = "_allim" ]; then _allim "$@"; else compdef _allim allim; fi
    """
  }

  private static func zshValues(_ words: Verb.Words) -> String {
    switch words {
    case .none: "_message value"
    case .files: "_files"
    case .these(let words): "compadd -- \(words.joined(separator: " "))"
    }
  }

  private static func zshWords(of group: String) -> String {
    Verb.words(after: group).map { word in
      let name = group.isEmpty ? word : "\(group) \(word)"
      return quoted("\(word):\(help(of: name))")
    }.joined(separator: " ")
  }

  private static func zshCase(_ verb: Verb) -> String {
    var operands = ""
    switch verb.operandWords {
    case .none: break
    case .files: operands = "\n      [[ $PREFIX == -* ]] || _files"
    case .these(let words): operands = "\n      compadd -- \(words.joined(separator: " "))"
    }
    let options = verb.allOptions.map { quoted("\($0.name):\($0.help)") }
    return """
          ("\(verb.name)") offered=(\(options.joined(separator: " ")))
            _describe -o option offered\(operands) ;;

      """
  }

  // MARK: fish

  private static var fish: String {
    """
    # fish completion for allim; made by `allim completion fish`
    function __allim_verb
      set -l verb ""
      for word in (commandline -opc)[2..]
        set -l next (string trim "$verb $word")
        contains -- $next \(beginnings.map(quoted).joined(separator: " ")); or break
        set verb $next
      end
      test "$verb" = "$argv[1]"
    end
    complete -c allim -f
    \(Verb.groups.flatMap(fishGroup).joined(separator: "\n"))
    \(Verb.all.flatMap(fishVerb).joined(separator: "\n"))
    """
  }

  private static func fishGroup(_ group: String) -> [String] {
    Verb.words(after: group).map { word in
      let name = group.isEmpty ? word : "\(group) \(word)"
      return fishLine(group, "-a \(word)", help(of: name))
    }
  }

  private static func fishVerb(_ verb: Verb) -> [String] {
    var lines = verb.allOptions.map { option in
      var words = "-l \(option.name.dropFirst(2))"
      switch option.words {
      case .none: if option.value != nil { words += " -x" }
      case .files: words += " -r -F"
      case .these(let values): words += " -x -a \(quoted(values.joined(separator: " ")))"
      }
      return fishLine(verb.name, words, option.help)
    }
    switch verb.operandWords {
    case .none: break
    case .files: lines.append("complete -c allim -n \(quoted("__allim_verb \"\(verb.name)\"")) -F")
    case .these(let words):
      lines.append(fishLine(verb.name, "-a \(quoted(words.joined(separator: " ")))", ""))
    }
    return lines
  }

  private static func fishLine(_ verb: String, _ words: String, _ help: String) -> String {
    "complete -c allim -n \(quoted("__allim_verb \"\(verb)\"")) \(words)"
      + (help.isEmpty ? "" : " -d \(quoted(help))")
  }

  /// In single quotes, which all three shells read alike when none is inside.
  private static func quoted(_ text: String) -> String {
    "'\(text.replacing("'", with: "’"))'"
  }
}
