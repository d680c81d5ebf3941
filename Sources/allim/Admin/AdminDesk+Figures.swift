internal import PushAdmin
internal import PushModel
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker

// What can be looked at.
extension AdminDesk {
  func session(_ request: AdminRequest) -> JSONValue {
    let settings = settings()
    return .object([
      ("version", .text(Version.number)), ("host", .text(Machine.hostName)),
      ("redis", .text(settings.redis.shownPlace)), ("readOnly", .flag(settings.admin.readOnly)),
      ("authorized", .flag(request.isAuthorized)),
      ("queues", .list(settings.queues.map { .text($0.name) })),
      ("apps", .list(settings.apps.map { .text($0.name) })),
      ("reasons", .list(DeadReason.allCases.map { .text($0.rawValue) })),
    ])
  }

  /// As `allim stats --json`.
  func stats(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["queue"])
    return try await StatsReport(try inspector(parameters), settings()).json
  }

  func queues(_ request: AdminRequest) async throws -> JSONValue {
    _ = try AdminParameters(request, [])
    var rows: [JSONValue] = []
    for queue in try inspectors() { rows.append(try await StatsReport(queue, settings()).json) }
    return .object([("queues", .list(rows))])
  }

  /// As `allim workers --json`, and what is wanted of them.
  func workers(_ request: AdminRequest) async throws -> JSONValue {
    let queue = try inspector(try AdminParameters(request, ["queue"]))
    let entries = try await queue.workers()
    let wishes = try await queue.wishes()
    return .object([
      ("queue", .text(queue.name)), ("workers", .list(entries.map(\.json))),
      ("wanted", wishes.workersJSON),
    ])
  }

  func apps(_ request: AdminRequest) async throws -> JSONValue {
    _ = try AdminParameters(request, [])
    let settings = settings()
    let credentials = settings.credentials
    var parked = credentials.map { _ in 0 }
    var paused: Set<String> = []
    for queue in try inspectors() {
      let counts = try await queue.parkedCounts(of: credentials.map(\.key))
      for (index, count) in counts.enumerated() { parked[index] += count }
      paused.formUnion(try await queue.wishes().pausedApps)
    }
    let pools = await probes.pools()
    let rows = credentials.enumerated().map { index, credential in
      row(credential, pools[credential.key] ?? PoolFigures(), parked: parked[index])
    }
    return .object([
      ("credentials", .list(rows)),
      (
        "apps",
        .list(
          settings.apps.map {
            .object([("app", .text($0.name)), ("paused", .flag(paused.contains($0.name)))])
          })
      ),
    ])
  }

  private func row(
    _ credential: ConfiguredCredential, _ pool: PoolFigures, parked: Int
  ) -> JSONValue {
    let key = credential.key
    let handles = metrics.pushes(app: key.app, provider: key.provider)
    let isAPNs = key.provider == .apns
    let expiry = isAPNs ? metrics.credentialExpiry(app: key.app) : nil
    return .object([
      ("app", .text(key.app)), ("provider", .text(key.provider.rawValue)),
      ("environment", isAPNs ? .text(key.environment.rawValue) : .null),
      ("ready", .number(pool.open)), ("opening", .number(pool.opening)),
      ("draining", .number(pool.draining)),
      ("connectionsMax", .number(credential.connections.max)),
      ("streams", .number(pool.streams)), ("gate", .text(pool.gate)),
      ("breakerOpen", .flag(pool.gate != "open")), ("brake", .flag(handles.brake.value > 0)),
      ("parked", .number(parked)), ("expiresAt", expiry.map { .number($0) } ?? .null),
    ])
  }
}
