internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import RedisClient

/// What must be so in Redis before a worker may start.
struct StartCheck {
  private let settings: Settings.Redis
  private let log: Logger

  init(_ settings: Settings.Redis, _ log: Logger) {
    self.settings = settings
    self.log = log
  }

  /// Refuses a Redis that may throw our keys away. One that cannot be reached is waited for by the
  /// shards, and one whose INFO is denied gets a warning.
  func run(_ client: RedisClient, _ queue: String) async throws(QueueError) {
    switch await client.call(RedisCommand("INFO", "memory")) {
    case .error(let error):
      log.warning("redis' eviction policy could not be read", [.detail: .text(error.detail)])
    case let reply:
      try judge(RedisInfo(reply.text ?? ""))
    }
    try await checkPlace(client, queue)
    try await checkPermissions(client, queue)
  }

  /// A script that is denied a command half-way has done what stands before it, which may lose an
  /// item: so it is not begun. A server that cannot be asked is waited for.
  private func checkPermissions(_ client: RedisClient, _ queue: String) async throws(QueueError) {
    let keys = try QueueKeys(queue: queue)
    let examination = PermissionExamination("redis", client, keys)
    guard let missing = await examination.missing(), !missing.isEmpty else { return }
    throw QueueError(
      .misconfigured,
      "redis.url: the user may not call \(missing.joined(separator: " ")) on the keys of \(queue); "
        + "deploy/redis.acl lists what is needed")
  }

  /// A node of a cluster sends those who ask for another node's keys away, for ever.
  private func checkPlace(_ client: RedisClient, _ queue: String) async throws(QueueError) {
    guard client.url.kind != .cluster else { return }
    if case .error(let error) = await client.call(RedisCommand("LLEN", queue)),
      error.code == .moved
    {
      throw QueueError(.misconfigured, Self.isCluster)
    }
  }

  static let isCluster =
    "redis.url: this is a node of a Redis Cluster; write cluster://user:password@host,host"

  private func judge(_ memory: RedisInfo) throws(QueueError) {
    // Where it is allowed, `EvictionWatch` tells of it.
    guard !settings.allowEviction, let policy = memory.evictionOfOurKeys else { return }
    throw QueueError(
      .misconfigured,
      "redis.allowEviction: redis may throw keys of the queue away (maxmemory-policy \(policy)); "
        + "set noeviction, or redis.allowEviction: true to start all the same")
  }
}
