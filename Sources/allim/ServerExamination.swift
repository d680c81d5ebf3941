internal import PushSettings

/// What a server's INFO says about a queue's life in it: findings from text, nothing is asked.
struct ServerExamination {
  private let info: RedisInfo
  private let settings: Settings.Redis
  private let subject: String

  init(_ info: RedisInfo, _ settings: Settings.Redis, subject: String) {
    self.info = info
    self.settings = settings
    self.subject = subject
  }

  var findings: [Finding] { version + role + memory + persistence + replicas }

  private func warning(_ what: String, _ remedy: String) -> Finding {
    .warning(subject, what, remedy)
  }

  private func error(_ what: String, _ remedy: String) -> Finding {
    .error(subject, what, remedy)
  }

  private var version: [Finding] {
    guard let text = info["redis_version"] else { return [] }
    let parts = text.split(separator: ".").map { Int($0) ?? 0 }
    let isEnough = parts.count >= 2 && (parts[0], parts[1]) >= (6, 2)
    return isEnough ? [] : [error("version \(text)", "at least 6.2 is needed: upgrade it")]
  }

  private var role: [Finding] {
    var findings: [Finding] = []
    if info["role"] == "slave" {
      findings.append(
        error(
          "this is a replica, which refuses writes",
          "name the master in redis.url, or sentinels: sentinel://host,host/name"))
    }
    if info["loading"] == "1" {
      findings.append(warning("it is loading its data", "wait until it has ended"))
    }
    return findings
  }

  private var memory: [Finding] {
    var findings: [Finding] = []
    if let policy = info.evictionOfOurKeys {
      let what = "maxmemory-policy \(policy) may throw keys of the queue away"
      let remedy = "set maxmemory-policy noeviction"
      findings.append(
        settings.allowEviction ? warning(what, remedy) : error(what + "; start is refused", remedy))
    } else if let policy = info["maxmemory_policy"], policy != "noeviction" {
      findings.append(
        .note(subject, "maxmemory-policy is \(policy); it cannot meet keys of the queue as it is"))
    }
    let limit = info.number("maxmemory") ?? 0
    if limit > 0, let used = info.number("used_memory"), used * 10 > limit * 9 {
      findings.append(
        warning(
          "\(used * 100 / limit) % of maxmemory are used; when it is full, producers are refused",
          "raise maxmemory, or find what fills it: allim stats"))
    }
    return findings
  }

  private var persistence: [Finding] {
    var findings: [Finding] = []
    if info["aof_enabled"] == "0" {
      findings.append(
        warning(
          "the append-only file is off: a crash loses all since the last snapshot",
          "set appendonly yes; appendfsync everysec loses a second at most, always none"))
    }
    let states: [(Substring, String)] = [
      ("rdb_last_bgsave_status", "the last snapshot failed; writes may be refused (MISCONF)"),
      ("aof_last_write_status", "the append-only file cannot be written; writes are refused"),
      ("aof_last_bgrewrite_status", "the last rewrite of the append-only file failed"),
    ]
    for (field, what) in states {
      guard let state = info[field], state != "ok" else { continue }
      findings.append(error(what, "look at the disk and at Redis' own log"))
    }
    return findings
  }

  private var replicas: [Finding] {
    guard info["role"] == "master" else { return [] }
    let count = info.number("connected_slaves") ?? 0
    if settings.wait.replicas > count {
      return [
        error(
          "redis.wait.replicas is \(settings.wait.replicas), and \(count) are connected",
          "connect replicas, or lower redis.wait.replicas")
      ]
    }
    if let good = info.number("min_slaves_good_slaves"), good == 0 {
      return [
        error(
          "min-replicas-to-write is set and no replica is in step: writes are refused",
          "look at the replicas' links: INFO replication")
      ]
    }
    if count > 0 { return [] }
    return [
      .note(
        subject, "no replica: when this machine is lost, so is what waits in it",
        "a replica with sentinels, or a cluster, goes on without it")
    ]
  }
}
