internal import LoopIO
internal import PushCrypto
internal import PushModel
package import PushSettings
package import PushTelemetry
package import SharedState

/// The keys of all apps, read and checked once, shared by all shards.
package struct ProviderCredentials: Sendable {
  /// What one credential sends with.
  enum Secret: Sendable {
    case apns(ProviderTokenSource)
    /// The certificate is shown by the connections.
    case certificate(TLSContext)
    case fcm(AccessTokenSource, projectID: String)
  }

  /// A problem with the key of the configuration that names the file.
  package struct Problem: Error, Sendable, Equatable {
    package let settingsKey: String
    package let error: CredentialError
  }

  /// All that is wrong, so that it can be put right at once.
  package struct Refusal: Error, Sendable, Equatable {
    package let problems: [Problem]
  }

  let secrets: [CredentialKey: Secret]
  let tls: TLSContext
  /// APNs' tokens by team, key id and key.
  fileprivate let apnsSources: [[String]: ProviderTokenSource]
  /// Certificates, for warnings.
  package let expiries: [CredentialExpiry]
  let clockWatch: ClockWatch
  /// What is odd about keys that can be used all the same.
  package let warnings: [Problem]
  /// By app, for those that have FCM.
  package let projectIDs: [String: String]

  /// Reads every key file; signs once with each APNs key. Asks no server.
  ///
  /// - Parameter last: the keys until now. One that is the same keeps its token, since APNs refuses
  ///   tokens that change more than once in 20 minutes (apns.md 5.2).
  package init(
    _ settings: Settings, after last: ProviderCredentials? = nil, metrics: WorkerMetrics? = nil,
    logger: Logger? = nil, clock: any PushClock = SystemClock()
  ) throws(Refusal) {
    clockWatch = ClockWatch(metrics, logger)
    var reader = CredentialReader(
      settings, last?.apnsSources ?? [:], metrics: metrics, clockWatch: clockWatch, clock: clock)
    for credential in settings.credentials { reader.read(credential) }
    let tls = reader.trust(settings.endpoints.caFile)
    guard reader.problems.isEmpty, let tls else { throw Refusal(problems: reader.problems) }
    secrets = reader.secrets
    apnsSources = reader.apnsSources
    projectIDs = reader.projectIDs
    expiries = reader.expiries
    warnings = reader.warnings
    self.tls = tls
    for (app, end) in soonest {
      metrics?.credentialExpires(app: app, kind: .certificate, at: end)
    }
  }

  /// The certificate of each app that ends first.
  private var soonest: [String: Int64] {
    var ends: [String: Int64] = [:]
    for expiry in expiries { ends[expiry.key.app] = min(ends[expiry.key.app] ?? .max, expiry.end) }
    return ends
  }
}

/// Collects credentials and problems.
private struct CredentialReader {
  private let settings: Settings
  private let metrics: WorkerMetrics?
  private let clockWatch: ClockWatch
  private let clock: any PushClock
  private let lastSources: [[String]: ProviderTokenSource]
  /// One source for each (team, key id, key): APNs counts new tokens by key, not by app or topic.
  var apnsSources: [[String]: ProviderTokenSource] = [:]
  var secrets: [CredentialKey: ProviderCredentials.Secret] = [:]
  var projectIDs: [String: String] = [:]
  var expiries: [CredentialExpiry] = []
  var problems: [ProviderCredentials.Problem] = []
  var warnings: [ProviderCredentials.Problem] = []

  init(
    _ settings: Settings, _ lastSources: [[String]: ProviderTokenSource], metrics: WorkerMetrics?,
    clockWatch: ClockWatch, clock: any PushClock
  ) {
    self.settings = settings
    self.lastSources = lastSources
    self.metrics = metrics
    self.clockWatch = clockWatch
    self.clock = clock
  }

  mutating func read(_ credential: ConfiguredCredential) {
    do throws(CredentialError) {
      switch credential.secret {
      case .tokenKey(let key, _): try readKey(key, for: credential.key)
      case .certificate(let file, let passwordFile):
        try readCertificate(file, passwordFile, for: credential)
      case .serviceAccount(let file): try readAccount(file, for: credential.key)
      }
    } catch {
      let problem = ProviderCredentials.Problem(settingsKey: credential.settingsKey, error: error)
      // Two environments may name one file.
      if !problems.contains(problem) { problems.append(problem) }
    }
  }

  mutating func trust(_ caFile: String?) -> TLSContext? {
    do throws(StreamError) {
      return try TLSContext.client(caFile: caFile, identity: nil, alpn: ["h2"])
    } catch {
      let trouble = CredentialError(file: caFile ?? "", error.detail)
      problems.append(.init(settingsKey: "endpoints.caFile", error: trouble))
      return nil
    }
  }

  private mutating func readKey(
    _ key: Settings.TokenKey, for credential: CredentialKey
  ) throws(CredentialError) {
    let signing = try signingKey(key.keyFile)
    let name = [key.teamID, key.keyID, String(decoding: SHA256.hex(signing.pem), as: UTF8.self)]
    if let known = apnsSources[name] ?? lastSources[name] {
      apnsSources[name] = known
      secrets[credential] = .apns(known)
      return
    }
    let source = try ProviderTokenSource(
      key: signing, keyID: key.keyID, teamID: key.teamID, clock: clock,
      made: made(credential))
    apnsSources[name] = source
    secrets[credential] = .apns(source)
  }

  private mutating func readCertificate(
    _ file: String, _ passwordFile: String?, for credential: ConfiguredCredential
  ) throws(CredentialError) {
    let certificate = try CertificateFile.read(file, passwordFile: passwordFile)
    try checkTopics(of: certificate, file, for: credential)
    do throws(StreamError) {
      let tls = try TLSContext.client(
        caFile: settings.endpoints.caFile, identity: certificate.identity, alpn: ["h2"])
      secrets[credential.key] = .certificate(tls)
    } catch {
      throw CredentialError(file: file, error.detail)
    }
    expiries.append(CredentialExpiry(key: credential.key, file: file, end: certificate.notAfter))
  }

  /// A certificate of another app would have each push refused.
  private mutating func checkTopics(
    of certificate: CertificateFile, _ file: String, for credential: ConfiguredCredential
  ) throws(CredentialError) {
    let app = settings.apps.first { $0.name == credential.key.app }
    guard let topic = app?.apns?.topic, !topic.isEmpty else { return }
    switch certificate.topics.check(bundleID: topic) {
    case .fits: return
    case .refused(let why): throw CredentialError(file: file, why)
    case .doubtful(let why):
      let warning = ProviderCredentials.Problem(
        settingsKey: credential.settingsKey, error: CredentialError(file: file, why))
      if !warnings.contains(warning) { warnings.append(warning) }
    }
  }

  private func signingKey(_ file: String) throws(CredentialError) -> PrivateKey {
    let bytes = try KeyFile.read(file)
    do throws(CryptoError) {
      let key = try PrivateKey(pem: bytes)
      guard key.kind == .p256 else { throw CryptoError(.wrongKind, "a P-256 key is needed") }
      return key
    } catch {
      throw CredentialError(file: file, error.detail)
    }
  }

  private mutating func readAccount(
    _ file: String, for credential: CredentialKey
  ) throws(CredentialError) {
    let account = try ServiceAccount.load(path: file)
    let configured = settings.apps.first { $0.name == credential.app }?.fcm?.projectID
    let projectID = configured ?? account.projectID
    guard !projectID.isEmpty, projectID.utf8.allSatisfy(Self.mayStandInPath) else {
      throw CredentialError(file: file, field: "project_id", "is missing or malformed")
    }
    let exchange = TokenExchange(
      account: account, url: settings.endpoints.oauth, caFile: settings.endpoints.caFile,
      proxy: settings.proxy, timeout: settings.request.timeout, clockWatch: clockWatch)
    let source = AccessTokenSource(exchange: exchange, clock: clock, made: made(credential))
    secrets[credential] = .fcm(source, projectID: projectID)
    projectIDs[credential.app] = projectID
  }

  private func made(_ key: CredentialKey) -> Counter? {
    metrics?.pushes(app: key.app, provider: key.provider).providerTokensMade
  }

  /// Project ids are letters, digits and hyphens, of old ones with a domain in front.
  private static func mayStandInPath(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x3A, 0x5F: true
    default: false
    }
  }
}
