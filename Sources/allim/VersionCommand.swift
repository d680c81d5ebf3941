/// What was built.
enum Version {
  static let number = "0.1.0"
  /// Written by scripts/release.
  static let commit = "unreleased"
}

extension Verb {
  static let version = Verb(
    name: "version", summary: "Prints version, commit and library versions.",
    examples: ["allim version", "allim version --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let libraries = LibraryVersions.all
    if invocation.wantsJSON {
      Console.print(
        JSONValue.object([
          ("version", .text(Version.number)), ("commit", .text(Version.commit)),
          ("libraries", .object(libraries.map { ($0.0, .text($0.1)) })),
        ]).encoded)
    } else {
      Console.print("allim \(Version.number) (\(Version.commit))")
      Console.table(libraries.map { ["  " + $0.0, $0.1] })
    }
    return .done
  }
}
