internal import LoopIO
internal import PushCodec
internal import PushModel
internal import PushProviders
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import SharedState

extension Verb {
  static let send = Verb(
    name: "send", summary: "Sends one push now, past the queue; prints request and answer.",
    details: "Exit code 0 when the provider accepted it, 1 when it refused or was not reached."
      + " Needs no Redis.",
    options: SendOrder.options + [
      Option(name: "--dry-run", value: nil, help: "print the request alone, and send nothing")
    ],
    examples: [
      "allim send --app chat --token a1b2… --title Hello --body \"Is it working?\"",
      "allim send --fid … --platform android --data '{\"room\":42}' --dry-run",
      "allim send --token a1b2… --environment sandbox --badge 0 --json",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let loaded = try invocation.loadSettings(isForWorker: false)
    let isDry = invocation.has("--dry-run")
    let push = try SinglePush(
      SendOrder(invocation), isDry ? loaded.settingsOrSample : loaded.settings,
      now: SystemClock().wall())
    if isDry {
      if loaded.isBare, !invocation.wantsJSON { Console.error(LoadedSettings.sampleNote) }
      push.print(nil, asJSON: invocation.wantsJSON)
      return .done
    }
    let credentials = try push.readCredentials(loaded)
    return try onLoop { loop async throws(CommandFailure) in
      let ending = OutcomeListing(await push.send(credentials, on: loop))
      push.print(ending, asJSON: invocation.wantsJSON)
      return ending.exitCode
    }
  }
}

/// One push to one device, built as a worker builds it. Its request is written in `init` and only
/// read from then on, by whatever thread.
private struct SinglePush: @unchecked Sendable {
  private let settings: Settings
  private let key: CredentialKey
  private let request: PushRequest
  private let notes: BuildNotes

  init(_ order: SendOrder, _ settings: Settings, now: Int64) throws(CommandFailure) {
    let codec = MessageCodec(
      rules: settings.messageRules(), credentials: Set(settings.credentials.map(\.key)))
    // The id decides apns-id: each call is a push of its own.
    let item = codec.decode(
      try order.event(now: now), queueID: .written("send-\(now)"), firstTaken: now, now: now)
    guard case .event(let event) = item else {
      guard case .malformed(let fault) = item else { throw CommandFailure(.failed, "no event") }
      throw Self.refusal(fault.reason, fault.detail)
    }
    let request = PushRequest()
    switch codec.build(event, target: 0, now: now, into: request) {
    case .built(let notes): self.notes = notes
    case .failed(let reason, let detail): throw Self.refusal(reason, detail)
    case .expired: throw Self.refusal(.expired, "nothing is left of its life")
    }
    key = codec.credentialList[event.credential(of: 0) ?? 0]
    self.request = request
    self.settings = settings.reduced(to: key)
  }

  private static func refusal(_ reason: DeadReason, _ detail: String) -> CommandFailure {
    .misuse("\(reason.rawValue): \(detail)")
  }

  /// The keys of this push alone.
  func readCredentials(_ loaded: LoadedSettings) throws(CommandFailure) -> ProviderCredentials {
    do throws(ProviderCredentials.Refusal) {
      return try ProviderCredentials(settings)
    } catch {
      throw CommandFailure(
        .misuse,
        messages: error.problems.map {
          loaded.problem($0.settingsKey, reason: $0.error.text).description
        })
    }
  }

  func send(_ credentials: ProviderCredentials, on loop: Loop) async -> SendOutcome {
    let factory = ProviderFactory(
      settings, credentials, metrics: WorkerMetrics(version: Version.number),
      // What goes wrong is in the outcome.
      logger: Logger(level: .error))
    let providers = factory.makeProviders(on: loop, shard: 0, of: 1)
    guard let provider = providers.providers[key] else {
      return .neverSent(SendTrouble(.auth, "no credential"))
    }
    let outcome = await provider.send(request)
    await providers.shutDown()
    return outcome
  }

  func print(_ ending: OutcomeListing?, asJSON: Bool) {
    let listing = RequestListing(request, notes, for: key, settings)
    guard asJSON else {
      Console.print(listing.text)
      if let ending { Console.print("\n" + ending.text) }
      return
    }
    Console.print(
      JSONValue.object([("request", listing.json), ("answer", ending?.json ?? .null)]).encoded)
  }
}

extension Settings {
  /// With no credential but one, so that no other's file must be readable.
  fileprivate func reduced(to key: CredentialKey) -> Settings {
    var reduced = self
    reduced.apps = apps.filter { $0.name == key.app }.map { app in
      var app = app
      switch key.provider {
      case .fcm: app.apns = nil
      case .apns:
        app.fcm = nil
        if key.environment == .sandbox, app.apns?.sandbox != nil {
          app.apns?.production = nil
        } else {
          app.apns?.sandbox = nil
        }
      }
      return app
    }
    return reduced
  }
}
