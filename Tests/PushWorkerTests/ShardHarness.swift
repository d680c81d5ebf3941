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

/// A shard over queues in memory and providers that say what the test wants.
struct ShardHarness: Sendable {
  let loop: Loop
  /// Of the first list.
  let store: InMemoryStore
  /// Of all lists.
  let stores: [InMemoryStore]
  let shard: Shard
  let sent: ScriptedProvider.Sent
  let metrics: WorkerMetrics
  /// To be touched on the loop alone.
  let queues: UncheckedBox<[InMemoryQueue]>
  let providers: UncheckedBox<[ScriptedProvider]>

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

  struct Options: Sendable {
    var workers = 8
    var losesFirstAnswerOf: String?
    var receipts = false
    /// Weights of the lists.
    var weights = [1]
    var queue = QueueSettings()
    /// The content of the first list; nil = nothing.
    var store: InMemoryStore?
    var instance = "test"
  }

  /// Runs `body` beside a working shard, and stops the shard afterwards.
  static func run(
    workers: Int = 8, losesFirstAnswerOf lost: String? = nil, receipts: Bool = false,
    _ script: Script,
    _ body: @escaping @Sendable (ShardHarness) async throws -> Void
  ) async throws {
    var options = Options()
    options.workers = workers
    options.losesFirstAnswerOf = lost
    options.receipts = receipts
    try await run(options, script, body)
  }

  static func run(
    _ options: Options, _ script: Script,
    _ body: @escaping @Sendable (ShardHarness) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let harness = try await ShardHarness(on: loop, options, script)
      let running = Task(executorPreference: loop) { await harness.shard.run() }
      try await body(harness)
      await harness.shard.stop(grace: .seconds(5))
      await running.value
    }
  }

  private init(on loop: Loop, _ options: Options, _ script: Script) async throws {
    self.loop = loop
    let stores =
      [options.store ?? InMemoryStore(clock: SystemClock())]
      + options.weights.dropFirst().map { _ in InMemoryStore(clock: SystemClock()) }
    let sent = ScriptedProvider.Sent()
    let metrics = WorkerMetrics()
    self.stores = stores
    store = stores[0]
    self.sent = sent
    self.metrics = metrics
    let keys = [
      CredentialKey(app: "chat", provider: .apns), CredentialKey(app: "chat", provider: .fcm),
    ]
    let queues = UncheckedBox(
      stores.enumerated().map { index, store in
        InMemoryQueue(
          "list\(index)", instance: "\(options.instance).0", store: store,
          settings: options.queue)
      })
    queues.value[0].fault = Self.fault(options, stores[0])
    let providers = UncheckedBox(
      MessageCodec(rules: Self.rules, credentials: Set(keys)).credentialList.map {
        ScriptedProvider($0, on: loop, sent, script.answer)
      })
    self.queues = queues
    self.providers = providers
    shard = try await Shard.make(on: loop) { loop in
      ShardParts(
        feeds: zip(queues.value, options.weights).map {
          FeedParts($0, weight: $1, beatInterval: .milliseconds(200))
        },
        codec: MessageCodec(rules: Self.rules, credentials: Set(keys)),
        providers: providers.value,
        policy: RetryPolicy(Self.retry), metrics: metrics,
        log: Logger(level: .error), clock: SystemClock(), workers: options.workers,
        writesReceipts: options.receipts)
    }
  }

  private static func fault(
    _ options: Options, _ store: InMemoryStore
  ) -> (StaticString) -> InMemoryQueue.Fault? {
    var isLost = false
    return { call in
      let name = "\(call)"
      guard !isLost, name == options.losesFirstAnswerOf, name != "take" || !store.ready.isEmpty
      else { return nil }
      isLost = true
      return .after
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

  func push(_ id: String, _ tokens: [String], extra: String = "", to list: Int = 0) {
    push(id, devices: tokens.map(Self.iphone), extra: extra, to: list)
  }

  func push(_ id: String, devices: [String], extra: String = "", to list: Int = 0) {
    let event =
      "{\"id\":\"\(id)\",\"type\":\"message\",\"message\":{\"id\":1,\"text\":\"hi\"},"
      + "\"sender\":{\"id\":\"u\",\"name\":\"Ann\"},\(extra)"
      + "\"devices\":[\(devices.joined(separator: ","))]}"
    stores[list].push(Array(event.utf8))
  }

  static func iphone(_ token: String) -> String {
    "{\"platform\":\"ios\",\"token\":\"\(token)\"}"
  }

  static func android(_ number: Int) -> String {
    "{\"platform\":\"android\",\"token\":\"fInv\(number):APA91bINVENTED\"}"
  }

  func provider(_ provider: Provider) -> ScriptedProvider {
    providers.value.first { $0.key.provider == provider } ?? providers.value[0]
  }

  func parked(_ provider: Provider) -> [[UInt8]] {
    store.parked(CredentialKey(app: "chat", provider: provider))
  }

  /// Waits until the lists, the retries and what is held are all empty.
  func drained(within limit: Duration = .seconds(60)) async -> Bool {
    await eventually(within: limit, on: loop) {
      stores.allSatisfy {
        $0.ready.isEmpty && $0.delayed.isEmpty && $0.inflight == 0 && $0.chunks.isEmpty
      } && parked(.apns).isEmpty && parked(.fcm).isEmpty
    }
  }

  /// The dead letters as text.
  var letters: [String] { store.dead.map { String(decoding: $0, as: UTF8.self) } }
}
