internal import PushCodec
internal import PushModel
internal import PushProviders
internal import PushSettings
internal import PushTelemetry

/// One request as `send` and `explain` show it.
struct RequestListing {
  private let request: PushRequest
  private let notes: BuildNotes
  private let key: CredentialKey
  private let view: RequestView
  private let endpoint: String

  init(_ request: PushRequest, _ notes: BuildNotes, for key: CredentialKey, _ settings: Settings) {
    self.request = request
    self.notes = notes
    self.key = key
    view = RequestView(request, for: key, projectID: settings.projectID(of: key.app))
    endpoint = settings.endpoint(of: key).description
  }

  /// Device tokens are shortened.
  var text: String {
    var lines = ["\(provider), \(endpoint)", "POST https://\(view.authority)\(shownPath)"]
    lines += view.headers.map { shown("\($0.name): \($0.value)") }
    lines.append("")
    let layout = JSONLayout(
      request.body, hiding: ["message.token", "message.fid", "message.apns.live_activity_token"])
    lines.append(layout?.text ?? shown(String(decoding: request.body, as: UTF8.self)))
    lines.append("")
    lines.append("\(notes.bytes) of \(notes.limit) bytes")
    return (lines + notes.changes.sentences.map { "note: \($0)" }).joined(separator: "\n")
  }

  /// The same for programs, whole.
  var json: JSONValue {
    .object([
      ("provider", .text(key.provider.rawValue)), ("app", .text(key.app)),
      ("environment", key.provider == .apns ? .text(key.environment.rawValue) : .null),
      ("endpoint", .text(endpoint)), ("method", .text("POST")),
      ("url", .text("https://\(view.authority)\(view.path)")),
      ("headers", .object(view.headers.map { ($0.name, .text($0.value)) })),
      ("body", .raw(request.body)), ("bytes", .number(notes.bytes)),
      ("limit", .number(notes.limit)), ("notes", .list(notes.changes.sentences.map { .text($0) })),
    ])
  }

  private var provider: String {
    switch key.provider {
    case .apns: "APNs \(key.environment.rawValue)"
    case .fcm: "FCM"
    }
  }

  private var shownPath: String {
    guard !request.deviceToken.isEmpty else { return view.path }
    return view.path.dropLast(request.deviceToken.count) + redact(token: request.deviceToken)
  }
}

extension Settings {
  /// The Firebase project of an app: the configuration's, else its service account's. A place
  /// holder when that cannot be read, so that a request can be shown without the keys.
  func projectID(of app: String) -> String {
    guard let fcm = apps.first(where: { $0.name == app })?.fcm else { return "" }
    let own = fcm.projectID ?? (try? ServiceAccount.load(path: fcm.serviceAccountFile))?.projectID
    return own ?? "{project_id}"
  }

  /// The same settings with every project named, so that no file is read for each request.
  var withProjectIDs: Settings {
    var named = self
    for index in named.apps.indices where named.apps[index].fcm != nil {
      named.apps[index].fcm?.projectID = projectID(of: apps[index].name)
    }
    return named
  }

  fileprivate func endpoint(of key: CredentialKey) -> HostPort {
    switch (key.provider, key.environment) {
    case (.apns, .production): endpoints.apnsProduction
    case (.apns, .sandbox): endpoints.apnsSandbox
    case (.fcm, _): endpoints.fcm
    }
  }
}
