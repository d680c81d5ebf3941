internal import LoopIO
internal import PushProviders
internal import PushQueue
internal import PushSettings
internal import PushWorker
internal import RedisClient

extension Verb {
  static let doctor = Verb(
    name: "doctor",
    summary: "Looks at Redis, the queues and the keys; says what is wrong and what to do.",
    details: "Exit code 0 when no error is found (warnings and notes are no errors), 1 when one is,"
      + " 3 when Redis cannot be reached.\n"
      + "--send-test asks the providers without reaching anybody: APNs gets a push for a token that"
      + " no device has\nand must answer 400 BadDeviceToken, which shows that key and topic are"
      + " right (403: the key is wrong);\nFCM gets a push that it only validates.",
    options: [
      Option(
        name: "--fix", value: nil,
        help: "give back what dead instances hold, remove their entries; asks nothing"),
      Option(name: "--send-test", value: nil, help: "ask the providers too"),
    ], examples: ["allim doctor", "allim doctor --fix", "allim doctor --send-test --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let loaded = try invocation.loadSettings(isForWorker: false)
    let doctor = Doctor(
      loaded: loaded, fixes: invocation.has("--fix"), sends: invocation.has("--send-test"),
      asJSON: invocation.wantsJSON)
    return try onLoop { loop async throws(CommandFailure) in try await doctor.run(on: loop) }
  }
}

/// One visit.
private struct Doctor: Sendable {
  let loaded: LoadedSettings
  let fixes: Bool
  let sends: Bool
  let asJSON: Bool

  private var settings: Settings { loaded.settings }

  func run(on loop: Loop) async throws(CommandFailure) -> ExitCode {
    var findings = KeyFileExamination.findings(settings)
    findings += await providers(on: loop)
    let queues = settings.queues.map(\.name)
    let clients = try settings.redis.clients(for: queues, on: loop)
    defer { for client in clients { client.close() } }
    var isReached = true
    for (queue, client) in zip(queues, clients) where isReached {
      let isFirst = queue == queues[0] || client !== clients[0]
      do throws(QueueError) {
        findings += try await examine(queue, client, withServer: isFirst)
      } catch {
        findings.append(unreached(error))
        isReached = error.code != .unreachable
      }
    }
    report(findings)
    if !isReached { return .redisUnreachable }
    return findings.contains { $0.severity == .error } ? .failed : .done
  }

  private func examine(
    _ queue: String, _ client: RedisClient, withServer: Bool
  ) async throws(QueueError) -> [Finding] {
    var findings: [Finding] = []
    if withServer {
      let subject = client.url.kind == .cluster ? "redis of \(queue)" : "redis"
      findings += try await RedisExamination(
        settings.redis, client, try QueueKeys(queue: queue), subject: subject
      ).findings()
    }
    return findings
      + (try await QueueExamination(
        try QueueInspector(queue, client), settings.credentials.map(\.key), fixes: fixes
      ).findings())
  }

  private func unreached(_ error: QueueError) -> Finding {
    let remedy =
      settings.redis.url == nil
      ? "no redis.url is configured, and no private Redis runs in ./\(EmbeddedRedis.folder)"
      : "look at redis.url, the network and the user's password"
    return .error("redis", "it does not serve us: \(error.detail)", remedy)
  }

  private func providers(on loop: Loop) async -> [Finding] {
    do throws(ProviderCredentials.Refusal) {
      let credentials = try ProviderCredentials(settings)
      let warnings = credentials.warnings.map { warning in
        Finding.warning(
          warning.settingsKey, warning.error.text, "make sure that the file is this app's")
      }
      if sends { return warnings + (await TestSend(settings, credentials).findings(on: loop)) }
      return warnings
    } catch {
      return error.problems.map { problem in
        .error(problem.settingsKey, problem.error.text, "allim check-config says more")
      }
    }
  }

  private func report(_ findings: [Finding]) {
    let severities: [Finding.Severity] = [.error, .warning, .note]
    let sorted = severities.flatMap { severity in findings.filter { $0.severity == severity } }
    if asJSON {
      let count = { (severity: Finding.Severity) in
        JSONValue.number(findings.count { $0.severity == severity })
      }
      Console.print(
        JSONValue.object([
          ("findings", .list(sorted.map(\.json))), ("errors", count(.error)),
          ("warnings", count(.warning)), ("notes", count(.note)),
        ]).encoded)
      return
    }
    for finding in sorted { for line in finding.lines { Console.print(line) } }
    if !findings.contains(where: { $0.severity != .note }) { Console.print("nothing is wrong") }
  }
}
