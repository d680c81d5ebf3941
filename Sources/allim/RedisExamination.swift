internal import Glibc
internal import LoopIO
internal import PushCrypto
internal import PushQueue
internal import PushSettings
internal import PushWorker
internal import RedisClient
internal import SharedState

/// Looks at the Redis behind one client.
struct RedisExamination {
  private let settings: Settings.Redis
  private let client: RedisClient
  private let keys: QueueKeys
  private let subject: String

  init(_ settings: Settings.Redis, _ client: RedisClient, _ keys: QueueKeys, subject: String) {
    self.settings = settings
    self.client = client
    self.keys = keys
    self.subject = subject
  }

  /// Throws when it cannot be reached: then nothing more can be said.
  func findings() async throws(QueueError) -> [Finding] {
    let connection: RedisConnection
    do { connection = try await client.connected() } catch { throw QueueError(error) }
    var findings: [Finding] = []
    findings += certificate(connection)
    findings += await server()
    findings += await clock()
    findings += await place()
    return findings + (await PermissionExamination(subject, client, keys).findings())
  }

  private func server() async -> [Finding] {
    let reply = await client.call(RedisCommand("INFO"))
    if case .error(let error) = reply {
      return [
        .warning(
          subject,
          "INFO is refused, so that policy, disk and replicas are unknown: \(error.detail)",
          "ACL SETUSER … +info")
      ]
    }
    return ServerExamination(RedisInfo(reply.text ?? ""), settings, subject: subject).findings
  }

  /// Leases and due times are on Redis' clock; expiries and provider tokens are on ours.
  private func clock() async -> [Finding] {
    let before = SystemClock().wall()
    let reply = await client.call(RedisCommand("TIME"))
    let after = SystemClock().wall()
    let words = reply.array?.compactMap { $0.text.flatMap { Int64($0) } } ?? []
    guard words.count == 2 else { return [] }
    let theirs = words[0] * 1_000 + words[1] / 1_000
    let apart = theirs < before ? before - theirs : max(0, theirs - after)
    guard apart > 2_000 else { return [] }
    let seconds = apart / 1_000
    return [
      Finding(
        severity: apart > 300_000 ? .error : .warning, subject: subject,
        what: "its clock and ours are \(seconds) s apart; pushes expire by ours, and providers"
          + " refuse tokens of a wrong hour",
        remedy: "let both machines keep time by NTP")
    ]
  }

  private func place() async -> [Finding] {
    guard client.url.kind != .cluster else { return [] }
    guard case .error(let error) = await client.call(RedisCommand("LLEN", keys.ready)),
      error.code == .moved
    else { return [] }
    return [
      .error(
        subject, "it is a node of a Redis Cluster, which sends us elsewhere",
        "write cluster://user:password@host,host into redis.url")
    ]
  }

  private func certificate(_ connection: RedisConnection) -> [Finding] {
    guard let bytes = connection.peerCertificate, let read = try? Certificate(der: bytes) else {
      return []
    }
    return ExpiryExamination.findings(
      "\(subject) certificate", notAfter: read.notAfter, now: SystemClock().wall() / 1_000)
  }
}

/// How long a certificate still lives.
enum ExpiryExamination {
  /// Both in UNIX seconds.
  static func findings(_ subject: String, notAfter: Int64, now: Int64) -> [Finding] {
    let days = (notAfter - now) / 86_400
    if notAfter <= now { return [.error(subject, "it has expired", "replace it")] }
    if days >= 30 { return [] }
    return [.warning(subject, "it expires in \(days) days", "replace it before")]
  }
}
