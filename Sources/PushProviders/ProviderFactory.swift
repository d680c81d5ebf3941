internal import HTTP2
package import LoopIO
internal import PushModel
package import PushSettings
package import PushTelemetry
internal import PushWorker
package import SharedState

/// Makes the providers of one shard, on its loop's thread.
package struct ProviderFactory: Sendable {
  private let settings: Settings
  private let credentials: ProviderCredentials
  private let metrics: WorkerMetrics
  private let logger: Logger
  private let clock: any PushClock

  package init(
    _ settings: Settings, _ credentials: ProviderCredentials, metrics: WorkerMetrics,
    logger: Logger, clock: any PushClock = SystemClock()
  ) {
    self.settings = settings
    self.credentials = credentials
    self.metrics = metrics
    self.logger = logger
    self.clock = clock
  }

  /// One provider for each credential; opens no connection yet.
  ///
  /// - Parameters:
  ///   - shard: counted from 0.
  ///   - shards: how many there are; connections are divided among them, one each at least.
  package func makeProviders(on loop: Loop, shard: Int, of shards: Int) -> ProviderSet {
    let set = ProviderSet()
    for credential in settings.credentials {
      guard let secret = credentials.secrets[credential.key] else { continue }
      let pool = ConnectionPool(
        poolSettings(credential, shard, shards), on: loop, clock: clock)
      watch(pool, credential.key)
      set.add(provider(credential.key, secret, pool), pool)
    }
    return set
  }

  private func provider(
    _ key: CredentialKey, _ secret: ProviderCredentials.Secret, _ pool: ConnectionPool
  ) -> any PushProvider {
    let authority = Self.host(of: key)
    switch secret {
    case .apns(let tokens):
      return APNsProvider(key: key, authority: authority, pool: pool, tokens: tokens, clock: clock)
    case .fcm(let tokens, let projectID):
      return FCMProvider(
        key: key, authority: authority, projectID: projectID, pool: pool, tokens: tokens,
        clock: clock)
    }
  }

  private func poolSettings(
    _ credential: ConfiguredCredential, _ shard: Int, _ shards: Int
  ) -> PoolSettings {
    let (host, port) = (credential.endpoint.host, credential.endpoint.port)
    var pool = PoolSettings(
      endpoint: .tcp(host: host, port: port), tls: credentials.tls, serverName: host)
    func share(_ all: Int) -> Int { max(1, all / shards + (shard < all % shards ? 1 : 0)) }
    pool.minConnections = share(credential.connections.min)
    pool.maxConnections = share(credential.connections.max)
    pool.requestsPerSecond = credential.connections.requestsPerSecond
    pool.requestTimeout = settings.request.timeout
    switch credential.key.provider {
    case .apns:
      pool.firstRequestAlone = true
      pool.pingIdle = settings.ping.apns
      pool.keptHeaders = APNsProvider.keptHeaders
    case .fcm:
      pool.maxStreams = FCMProvider.maximumStreams
      pool.pingIdle = settings.ping.fcm
      pool.keptHeaders = FCMProvider.keptHeaders
    }
    return pool
  }

  private func watch(_ pool: ConnectionPool, _ key: CredentialKey) {
    let events = ConnectionJournal(key, metrics, logger)
    pool.onEvent = { events.note($0) }
  }

  /// What `:authority` names, also when the endpoint is another (apns.md 1, fcm.md 1).
  static func host(of key: CredentialKey) -> String {
    switch (key.provider, key.environment) {
    case (.apns, .production): "api.push.apple.com"
    case (.apns, .sandbox): "api.sandbox.push.apple.com"
    case (.fcm, _): "fcm.googleapis.com"
    }
  }
}
