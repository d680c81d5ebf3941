internal import LoopIO
internal import PushCodec
internal import PushModel
internal import PushProviders
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import SharedState

/// Asks each provider whether it accepts our key, with a push that reaches nobody: to APNs one for
/// a token that no device has, to FCM one that is only validated.
struct TestSend: Sendable {
  /// A well-formed token that APNs gives to no device.
  private static let noDevice = "0400" + String(repeating: "0", count: 60)

  private let settings: Settings
  private let credentials: ProviderCredentials

  init(_ settings: Settings, _ credentials: ProviderCredentials) {
    self.settings = settings
    self.credentials = credentials
  }

  func findings(on loop: Loop) async -> [Finding] {
    let factory = ProviderFactory(
      settings, credentials, metrics: WorkerMetrics(version: Version.number),
      // What goes wrong is in the outcome.
      logger: Logger(level: .error))
    let set = factory.makeProviders(on: loop, shard: 0, of: 1)
    var findings: [Finding] = []
    for credential in settings.credentials {
      guard let provider = set.providers[credential.key] else { continue }
      let outcome = await provider.send(request(for: credential.key))
      findings.append(
        Self.finding(Self.subject(of: credential.key), credential.key.provider, outcome))
    }
    await set.shutDown()
    return findings
  }

  private static func subject(of key: CredentialKey) -> String {
    let environment = key.provider == .apns ? " \(key.environment.rawValue)" : ""
    return "apps.\(key.app).\(key.provider.rawValue)\(environment)"
  }

  private func request(for key: CredentialKey) -> PushRequest {
    let request = PushRequest()
    request.provider = key.provider
    request.priority = 5
    switch key.provider {
    case .apns:
      let app = settings.apps.first { $0.name == key.app }
      request.deviceToken = Array(Self.noDevice.utf8)
      request.topic = Array((app?.apns?.topic ?? "").utf8)
      request.pushType = .background
      request.apnsID = Array("00000000-0000-4000-8000-000000000000".utf8)
      request.body = Array(#"{"aps":{"content-available":1}}"#.utf8)
    case .fcm:
      request.body = Array(
        #"{"validate_only":true,"message":{"token":"allim-doctor","data":{"allim":"doctor"}}}"#
          .utf8)
    }
    return request
  }

  static func finding(
    _ subject: String, _ provider: Provider, _ outcome: SendOutcome
  ) -> Finding {
    switch outcome {
    case .neverSent(let trouble), .unknown(let trouble):
      let detail = trouble.detail.isEmpty ? trouble.kind.rawValue : trouble.detail
      return .error(
        subject, "the provider was not reached: \(detail)",
        "look at the network, proxies and the key")
    case .answered(let answer, _):
      let words = "\(answer.status) \(answer.reason)"
      if isGood(answer, provider) {
        return .note(subject, "the provider accepts the key (answered \(words), as it must)")
      }
      return .error(subject, "the provider answered \(words)", remedy(answer, provider))
    }
  }

  /// The key was accepted, and only the token that no device has was not.
  private static func isGood(_ answer: Answer, _ provider: Provider) -> Bool {
    switch provider {
    case .apns: answer.status == 400 && answer.reason == "BadDeviceToken"
    case .fcm:
      answer.status == 200 || answer.reason == "INVALID_ARGUMENT"
        || answer.reason == "UNREGISTERED"
    }
  }

  private static func remedy(_ answer: Answer, _ provider: Provider) -> String {
    switch (provider, answer.status) {
    case (.apns, 403): "look at keyFile, keyId, teamId and the key's environment"
    case (.apns, 400), (.apns, 405): "look at topic: it must be the app's bundle id"
    case (.fcm, 401), (.fcm, 403):
      "look at serviceAccountFile and the account's rights: it needs cloudmessaging.messages.create"
    case (.fcm, 404): "look at projectId"
    default: "try again later; the provider's status page may say more"
    }
  }
}
