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
  func run(_ client: RedisClient) async throws(QueueError) {
    switch await client.call(RedisCommand("INFO", "memory")) {
    case .error(let error):
      log.warning("redis' eviction policy could not be read", [.detail: .text(error.detail)])
    case let reply:
      try judge(Self.fields(reply.text ?? ""))
    }
  }

  private func judge(_ memory: [String: String]) throws(QueueError) {
    guard let policy = memory["maxmemory_policy"], policy.hasPrefix("allkeys-"),
      let limit = memory["maxmemory"], limit != "0"
    else { return }
    guard settings.allowEviction else {
      throw QueueError(
        .misconfigured,
        "redis.allowEviction: redis may throw keys of the queue away (maxmemory-policy \(policy)); "
          + "set noeviction, or redis.allowEviction: true to start all the same")
    }
    log.warning("redis may throw keys of the queue away", [.detail: .text(policy)])
  }

  private static func fields(_ text: String) -> [String: String] {
    var fields: [String: String] = [:]
    for line in text.split(whereSeparator: \.isNewline) {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[String(line[..<colon])] = String(line[line.index(after: colon)...])
    }
    return fields
  }
}
