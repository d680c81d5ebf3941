internal import PushCodec
internal import PushModel
internal import PushSettings
internal import SharedState

extension Verb {
  static let explain = Verb(
    name: "explain", operands: "[FILE|-]",
    summary: "Shows what each event becomes, device by device; sends nothing.",
    details: "Reads events, one JSON object a line, or one object over many lines. Needs neither"
      + " Redis nor key files.\nWithout any configuration an app \"chat\" with both providers is"
      + " assumed.\nExit code 1 when anything would end as a dead letter.",
    options: [
      Option(
        name: "--now", value: "S",
        help: "UNIX seconds at which a worker takes the events; default: now")
    ], operandWords: .files,
    examples: [
      "allim explain event.json",
      #"echo '{"type":"notice","title":"Hi","devices":[{"platform":"ios","token":"a1b2"}]}' | allim explain"#,
      "redis-cli LRANGE push:messages 0 9 | allim explain --json",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...1)
    let loaded = try invocation.loadSettings(isForWorker: false)
    let settings = loaded.settingsOrSample
    // The bounds of a moment in an event: below is a duration, above are milliseconds.
    let moment = try invocation.count("--now", 1_000_000_000...99_999_999_999)
    let now = moment.map { Int64($0) * 1_000 } ?? SystemClock().wall()
    let events = try EventTexts(invocation.operands.first ?? "-").all
    let explainer = Explainer(settings, now: now)
    let explanations = events.map { explainer.explain($0) }
    if invocation.wantsJSON {
      Console.print(
        JSONValue.object([("events", .list(explanations.map(\.json)))]).encoded)
    } else {
      if loaded.isBare { Console.error(LoadedSettings.sampleNote) }
      Console.print(explanations.map(\.text).joined(separator: "\n\n"))
    }
    return explanations.contains { !$0.isDeliverable } ? .failed : .done
  }
}

/// The events of a file: one a line, or one over all of it.
struct EventTexts {
  let all: [[UInt8]]

  init(_ path: String) throws(CommandFailure) {
    let input = try InputLines(path)
    var lines: [[UInt8]] = []
    while let line = try input.next() {
      if line.contains(where: { $0 > 0x20 }) { lines.append(line) }
    }
    guard !lines.isEmpty else { throw .misuse("\(path == "-" ? "stdin" : path): no event") }
    // A text over several lines has no line that is an object by itself, or is one as a whole.
    let whole = Array(lines.joined(separator: [0x0A]))
    let isOne = JSONObject(whole) != nil || !lines.contains { JSONObject($0) != nil }
    all = isOne ? [whole] : lines
  }
}

extension LoadedSettings {
  /// True when there is no configuration file.
  var isBare: Bool { file == nil }

  static let sampleNote =
    "allim: no configuration was found; an app \"chat\" with both providers is assumed"

  /// The settings; without a configuration those of an app with which an event can be tried.
  var settingsOrSample: Settings {
    guard isBare else { return settings }
    var app = Settings.App(name: "chat")
    var apns = Settings.APNs()
    apns.topic = "com.example.chat"
    apns.production = Settings.TokenKey()
    app.apns = apns
    var fcm = Settings.FCM()
    fcm.projectID = "example-project"
    app.fcm = fcm
    var sample = settings
    sample.apps = [app]
    return sample
  }
}
