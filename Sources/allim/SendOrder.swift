internal import PushCodec
internal import PushModel

/// The event that the options of `send` describe, as a producer would have written it.
struct SendOrder {
  private let invocation: Invocation

  init(_ invocation: Invocation) { self.invocation = invocation }

  static let options: [Verb.Option] = [
    .init(name: "--app", value: "A", help: "default: the only one configured"),
    .init(name: "--token", value: "T", help: "an APNs device token or an FCM registration token"),
    .init(name: "--fid", value: "F", help: "a Firebase installation id, instead of --token"),
    .init(
      name: "--platform", value: "P",
      help: "\(words(Platform.self)); default: ios for a token in hex, else android"),
    .init(
      name: "--environment", value: "E",
      help: "\(words(APNsEnvironment.self)), of APNs; default: the app's"),
    .init(name: "--type", value: "T", help: "default: notice with a text, sync without"),
    .init(name: "--title", value: "TEXT", help: "the first line"),
    .init(name: "--body", value: "TEXT", help: "the text"),
    .init(name: "--data", value: "JSON", help: "custom data, an object"),
    .init(name: "--badge", value: "N", help: "0 clears it"),
    .init(name: "--sound", value: "NAME", help: "a sound of the app, or none"),
    .init(name: "--ttl", value: "S", help: "lifetime in seconds"),
    .init(name: "--priority", value: "P", help: words(EventPriority.self)),
    .init(name: "--collapse-key", value: "K", help: "replaces an earlier push with the same key"),
  ]

  private static func words<T: RawRepresentable & CaseIterable>(_ type: T.Type) -> String
  where T.RawValue == String {
    type.allCases.map(\.rawValue).joined(separator: ", ")
  }

  /// - Parameter now: UNIX milliseconds.
  func event(now: Int64) throws(CommandFailure) -> [UInt8] {
    var members: [(String, JSONValue)] = [
      ("type", .text(type)), ("sentAt", .number(Int(now / 1_000))),
      ("devices", .list([try device()])),
    ]
    let texts = [
      ("--app", "app"), ("--title", "title"), ("--body", "body"), ("--priority", "priority"),
      ("--collapse-key", "collapseKey"),
    ]
    for (option, field) in texts {
      if let text = invocation.value(option) { members.append((field, .text(text))) }
    }
    // The bounds of EVENTS.md: a badge is a 32-bit number, a life at most 30 days.
    let counts = [("--badge", "badge", 2_147_483_647), ("--ttl", "ttl", 2_592_000)]
    for (option, field, most) in counts {
      if let count = try invocation.count(option, 0...most) {
        members.append((field, .number(count)))
      }
    }
    if let sound = invocation.value("--sound") {
      members.append(("sound", sound == "none" ? .flag(false) : .text(sound)))
    }
    if let data = try data() { members.append(("data", .raw(data))) }
    return [UInt8](JSONValue.object(members).encoded.utf8)
  }

  private var type: String {
    let hasText = invocation.has("--title") || invocation.has("--body")
    return invocation.value("--type") ?? (hasText ? "notice" : "sync")
  }

  private func device() throws(CommandFailure) -> JSONValue {
    let (token, fid) = (invocation.value("--token"), invocation.value("--fid"))
    guard (token == nil) != (fid == nil) else {
      throw .misuse("one of --token and --fid is needed, not both")
    }
    let isHex = token.map { $0.utf8.allSatisfy { JSONEscape.hexValue($0) != nil } } ?? false
    var members: [(String, JSONValue)] = [
      ("platform", .text(try choice("--platform", Platform.self) ?? (isHex ? "ios" : "android"))),
      token.map { ("token", .text($0)) } ?? ("fid", .text(fid ?? "")),
    ]
    if let environment = try choice("--environment", APNsEnvironment.self) {
      members.append(("environment", .text(environment)))
    }
    return .object(members)
  }

  private func choice<T: RawRepresentable & CaseIterable>(
    _ option: String, _ type: T.Type
  ) throws(CommandFailure) -> String? where T.RawValue == String {
    guard let word = invocation.value(option) else { return nil }
    guard T(rawValue: word) != nil else {
      throw .misuse("\(option) \"\(word)\" is not allowed; allowed: \(Self.words(type))")
    }
    return word
  }

  private func data() throws(CommandFailure) -> [UInt8]? {
    guard let text = invocation.value("--data") else { return nil }
    let bytes = [UInt8](text.utf8)
    guard JSONObject(bytes) != nil else { throw .misuse("--data is not a JSON object") }
    return bytes
  }
}
