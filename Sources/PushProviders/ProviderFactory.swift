internal import HTTP2
package import LoopIO
internal import PushCrypto
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
  /// One for each credential, shared by all shards.
  private let breakers: [CredentialKey: SharedBreaker]
  private let scopes: [CredentialKey: SharedScopePauses]
  /// How many live instances share FCM's quotas; to be kept up to date by who hears of them.
  private let fleet: FleetShare

  package init(
    _ settings: Settings, _ credentials: ProviderCredentials, metrics: WorkerMetrics,
    logger: Logger, fleet: FleetShare = FleetShare(), clock: any PushClock = SystemClock()
  ) {
    self.fleet = fleet
    self.settings = settings
    self.credentials = credentials
    self.metrics = metrics
    self.logger = logger
    self.clock = clock
    let limits = Breaker.Limits(
      openAfter: settings.breaker.openAfter, longestPause: settings.breaker.probeMax.nanoseconds)
    breakers = Dictionary(
      uniqueKeysWithValues: settings.credentials.map(\.key).map { key in
        let gauge = metrics.pushes(app: key.app, provider: key.provider).breakerOpen
        return (
          key, SharedBreaker(key, limits, clock: clock, gauge: gauge, logger: logger)
        )
      })
    scopes = Dictionary(
      uniqueKeysWithValues: settings.credentials.map { credential in
        (credential.key, SharedScopePauses(clock: clock))
      })
  }

  /// One provider for each credential; opens no connection yet.
  ///
  /// - Parameters:
  ///   - shard: counted from 0.
  ///   - shards: how many there are; connections are divided among them. The settings allow no more
  ///     shards than a credential may have connections, so that each has one.
  package func makeProviders(on loop: Loop, shard: Int, of shards: Int) -> ProviderSet {
    let set = ProviderSet()
    for credential in settings.credentials {
      guard let secret = credentials.secrets[credential.key] else { continue }
      let pool = ConnectionPool(
        poolSettings(credential, shard, shards), on: loop, clock: clock)
      let breaker = breakers[credential.key].map { BreakerGate($0, on: loop, clock: clock) }
      breaker?.guardPool(pool)
      watch(pool, credential.key, breaker)
      let quota = quota(of: credential.key, on: loop)
      set.add(provider(credential.key, secret, pool, breaker, quota), pool)
    }
    return set
  }

  private func provider(
    _ key: CredentialKey, _ secret: ProviderCredentials.Secret, _ pool: ConnectionPool,
    _ breaker: BreakerGate?, _ quota: QuotaQueue?
  ) -> any PushProvider {
    let authority = Self.host(of: key)
    func apns(_ tokens: ProviderTokenSource?) -> APNsProvider {
      APNsProvider(
        key: key, authority: authority, pool: pool, tokens: tokens, breaker: breaker,
        scopes: scopes[key], clockWatch: credentials.clockWatch, clock: clock)
    }
    switch secret {
    case .apns(let tokens): return apns(tokens)
    case .certificate: return apns(nil)
    case .fcm(let tokens, let projectID):
      return FCMProvider(
        key: key, authority: authority, projectID: projectID, pool: pool, tokens: tokens,
        breaker: breaker, scopes: scopes[key], quota: quota, clockWatch: credentials.clockWatch,
        clock: clock)
    }
  }

  /// Nil for endpoints of this machine that are sent to without a limit.
  private func quota(of key: CredentialKey, on loop: Loop) -> QuotaQueue? {
    guard key.provider == .fcm,
      let fcm = settings.apps.first(where: { $0.name == key.app })?.fcm,
      fcm.connections.requestsPerSecond > 0
    else { return nil }
    return QuotaQueue(
      perMinute: fcm.quotaPerMinute, share: fleet, on: loop, clock: clock)
  }

  private func poolSettings(
    _ credential: ConfiguredCredential, _ shard: Int, _ shards: Int
  ) -> PoolSettings {
    let (host, port) = (credential.endpoint.host, credential.endpoint.port)
    var tls = credentials.tls
    var hasToken = true
    if case .certificate(let own) = credentials.secrets[credential.key] {
      (tls, hasToken) = (own, false)
    }
    var pool = PoolSettings(
      endpoint: .tcp(host: host, port: port), tls: tls, serverName: host)
    pool.proxy = settings.proxy.http
    func share(_ all: Int) -> Int { all / shards + (shard < all % shards ? 1 : 0) }
    pool.minConnections = share(credential.connections.min)
    pool.maxConnections = max(1, share(credential.connections.max))
    pool.requestsPerSecond = credential.connections.requestsPerSecond
    pool.requestTimeout = settings.request.timeout
    switch credential.key.provider {
    case .apns:
      // With a certificate the connection itself proves who we are (apns.md 12).
      pool.firstRequestAlone = hasToken
      pool.pingIdle = settings.ping.apns
      pool.keptHeaders = APNsProvider.keptHeaders
    case .fcm:
      pool.maxStreams = FCMProvider.maximumStreams
      pool.pingIdle = settings.ping.fcm
      pool.keptHeaders = FCMProvider.keptHeaders
    }
    return pool
  }

  private func watch(
    _ pool: ConnectionPool, _ key: CredentialKey, _ breaker: BreakerGate?
  ) {
    let events = ConnectionJournal(key, metrics, logger)
    pool.onWaited = { [metrics] in metrics.rateWait.record(nanoseconds: $0) }
    pool.onEvent = { [unowned pool] event in
      events.note(event)
      breaker?.note(event, of: pool)
    }
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

extension Settings.Proxy {
  /// With user and password by HTTP's basic scheme (RFC 7617).
  var http: HTTPProxy? {
    guard let address else { return nil }
    var proxy = HTTPProxy(endpoint: .tcp(host: address.host, port: address.port))
    if let user, let password {
      proxy.authorization = Array("Basic ".utf8) + Base64.encode(Array("\(user):\(password)".utf8))
    }
    return proxy
  }
}
