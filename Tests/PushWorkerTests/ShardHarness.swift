import LoopIO
import PushCodec
import PushModel
import PushQueue
import PushSettings
import PushTelemetry
import PushWorker
import SharedState
import TestSupport
import Testing

/// A shard over the queue in memory and providers that say what the test wants.
struct ShardHarness: Sendable {
  let loop: Loop
  let store: InMemoryStore
  let shard: Shard
  let sent: ScriptedProvider.Sent
  let metrics: WorkerMetrics

  /// What the providers answer: to a request, and to how many times its token has been sent.
  struct Script: Sendable {
    let answer: @Sendable (PushRequest, Int) async -> SendOutcome

    init(_ answer: @escaping @Sendable (PushRequest, Int) async -> SendOutcome) {
      self.answer = answer
    }
  }

  static let accepted = SendOutcome.answered(Answer(status: 200), .accepted)

  static func refused(_ status: Int, _ reason: String, _ verdict: Verdict) -> SendOutcome {
    .answered(Answer(status: status, reason: reason), verdict)
  }

  /// Runs `body` beside a working shard, and stops the shard afterwards.
  static func run(
    workers: Int = 8, losesFirstAnswerOf lost: String? = nil, receipts: Bool = false,
    _ script: Script,
    _ body: @escaping @Sendable (ShardHarness) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let harness = try await ShardHarness(on: loop, workers, lost, receipts, script)
      let running = Task(executorPreference: loop) { await harness.shard.run() }
      try await body(harness)
      await harness.shard.stop(grace: .seconds(5))
      await running.value
    }
  }

  private init(
    on loop: Loop, _ workers: Int, _ lost: String?, _ receipts: Bool, _ script: Script
  ) async throws {
    self.loop = loop
    let store = InMemoryStore(clock: SystemClock())
    let sent = ScriptedProvider.Sent()
    let metrics = WorkerMetrics()
    self.store = store
    self.sent = sent
    self.metrics = metrics
    shard = try await Shard.make(on: loop) { loop in
      let keys = [
        CredentialKey(app: "chat", provider: .apns), CredentialKey(app: "chat", provider: .fcm),
      ]
      let codec = MessageCodec(rules: Self.rules, credentials: Set(keys))
      let queue = InMemoryQueue(instance: "test.0", store: store)
      var isLost = false
      queue.fault = { call in
        let name = "\(call)"
        guard !isLost, name == lost, name != "take" || !store.ready.isEmpty else { return nil }
        isLost = true
        return .after
      }
      return ShardParts(
        feeds: [FeedParts(queue, beatInterval: .milliseconds(200))], codec: codec,
        providers: codec.credentialList.map { ScriptedProvider($0, on: loop, sent, script.answer) },
        policy: RetryPolicy(Self.retry), metrics: metrics,
        log: Logger(level: .error), clock: SystemClock(), workers: workers,
        writesReceipts: receipts)
    }
  }

  private static var rules: MessageRules {
    var app = AppRules(name: "chat")
    app.apns = AppRules.APNsRules(topic: "com.example.chat")
    app.fcm = AppRules.FCMRules(projectID: "p")
    return MessageRules(apps: [app])
  }

  private static var retry: Settings.Retry {
    var retry = Settings().retry
    retry.apns.quick = DurationRange(from: .milliseconds(1), to: .milliseconds(2))
    retry.connection.base = .milliseconds(1)
    return retry
  }

  // MARK: Events

  static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  func push(_ id: String, _ tokens: [String], extra: String = "") {
    let devices = tokens.map { "{\"platform\":\"ios\",\"token\":\"\($0)\"}" }
    let event =
      "{\"id\":\"\(id)\",\"type\":\"message\",\"message\":{\"id\":1,\"text\":\"hi\"},"
      + "\"sender\":{\"id\":\"u\",\"name\":\"Ann\"},\(extra)"
      + "\"devices\":[\(devices.joined(separator: ","))]}"
    store.push(Array(event.utf8))
  }

  /// Waits until the list, the retries and what is held are all empty.
  func drained(within limit: Duration = .seconds(60)) async -> Bool {
    await eventually(within: limit, on: loop) {
      store.ready.isEmpty && store.delayed.isEmpty && store.inflight == 0
    }
  }

  /// The dead letters as text.
  var letters: [String] { store.dead.map { String(decoding: $0, as: UTF8.self) } }
}
