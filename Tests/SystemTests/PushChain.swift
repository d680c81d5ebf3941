import LoopIO
import RedisClient
import TestSupport
import Testing

/// A real Redis, the simulator and a worker between them, which the tests of a suite share: each
/// test takes event ids and tokens of its own. Used on its loop only.
final class PushChain {
  let loop: Loop
  let server: RedisServer
  let queue: TestQueue
  let simulator: RunningSimulator
  let worker: RunningWorker
  private let instances: [String]
  private var recording: Recording
  private static let results = [":dead", ":invalid"]

  /// Pauses of tests, not of services: a retry is due in a tenth of a second.
  static let quickRetries = [
    "ALLIM_RETRY_APNS_QUICK=50ms,100ms", "ALLIM_RETRY_APNS_BASE=1s",
    "ALLIM_RETRY_CONNECTION_BASE=1s",
  ]

  init(
    on loop: Loop, _ server: RedisServer, rules: String = "[]",
    simulator arguments: [String] = [], settings: [String] = quickRetries
  ) async throws {
    self.loop = loop
    self.server = server
    let queue = try await TestQueue(on: loop, server.url)
    self.queue = queue
    simulator = try await RunningSimulator(on: loop, rules: rules, arguments)
    recording = Recording(path: simulator.record)
    worker = try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
      settings: settings)
    var joined: [String] = []
    _ = await eventually(on: loop) {
      joined = await queue.instances()
      return !joined.isEmpty
    }
    instances = joined
    try #require(!joined.isEmpty, "the worker did not start")
  }

  /// Ends the worker as an operator does, when nothing is left to do, then the simulator.
  func stop() async {
    let isDrained = await eventually(on: loop) { await queue.isDrained(besides: Self.results) }
    #expect(isDrained, "some events are not finished")
    #expect(await queue.instances() == instances, "the worker is not the one of the start")
    #expect(await worker.stop() == ExitStatus())
    await simulator.stop()
  }

  // MARK: What happened

  /// Every request so far.
  func requests() -> [RecordedRequest] {
    recording.refresh()
    return recording.requests
  }

  /// The requests for a token so far.
  func requests(to target: String) -> [RecordedRequest] {
    requests().filter { $0.target == target }
  }

  /// The requests for a token once there are so many, and no more than that.
  func requests(
    to target: String, count: Int, _ place: SourceLocation = #_sourceLocation
  ) async throws -> [RecordedRequest] {
    let came = await eventually(on: loop) { requests(to: target).count >= count }
    let all = requests(to: target)
    try #require(
      came && all.count == count, "\(all.count) requests to \(target.prefix(8))",
      sourceLocation: place)
    return all
  }

  /// The one request that a token gets, which must be accepted.
  func accepted(_ target: String, _ place: SourceLocation = #_sourceLocation) async throws
    -> RecordedRequest
  {
    let came = await eventually(on: loop) { !requests(to: target).isEmpty }
    try #require(came, "nothing was sent to \(target.prefix(8))", sourceLocation: place)
    let all = requests(to: target)
    #expect(all.map(\.status) == [200], "\(all.map(\.reason))", sourceLocation: place)
    return all[0]
  }

  /// The one dead letter of an event.
  func letter(
    of id: String, _ place: SourceLocation = #_sourceLocation
  ) async throws -> JSONView {
    var found: [JSONView] = []
    _ = await eventually(on: loop) {
      found = await queue.letters().filter { $0["id"]?.string == id }
      return !found.isEmpty
    }
    #expect(found.count <= 1, "several letters of \(id)", sourceLocation: place)
    return try #require(found.first, "no letter of \(id)", sourceLocation: place)
  }

  /// The one dead letter that holds these bytes, encoded.
  func letter(
    raw: String, _ place: SourceLocation = #_sourceLocation
  ) async throws -> JSONView {
    var found: [JSONView] = []
    _ = await eventually(on: loop) {
      found = await queue.letters().filter { $0["raw"]?.string == raw }
      return !found.isEmpty
    }
    #expect(found.count <= 1, sourceLocation: place)
    return try #require(found.first, "no letter with \(raw.prefix(40))", sourceLocation: place)
  }
}

/// Gives a suite a chain of its own: `@Suite(.chain) struct …`, then `onChain { … }`.
struct PushChainTrait: SuiteTrait, TestScoping {
  let rules: String

  struct Shared: Sendable {
    let loop: Loop
    let chain: UncheckedBox<PushChain>
  }

  @TaskLocal static var current: Shared?

  func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let server = try await RedisServer()
    let loop = Loop(name: "chain")
    loop.start()
    defer { loop.stop() }
    let chain = try await Task(executorPreference: loop) { [rules] in
      UncheckedBox(try await PushChain(on: loop, server, rules: rules))
    }.value
    try await Self.$current.withValue(Shared(loop: loop, chain: chain)) { try await body() }
    await Task(executorPreference: loop) { await chain.value.stop() }.value
    await server.stop()
  }
}

extension Trait where Self == PushChainTrait {
  static var chain: PushChainTrait { PushChainTrait(rules: "[]") }

  /// With rules of the simulator.
  static func chain(rules: String) -> PushChainTrait { PushChainTrait(rules: rules) }
}

/// Runs a test on the loop of the suite's chain.
func onChain<R: Sendable>(
  _ body: @escaping @Sendable (PushChain) async throws -> R
) async throws -> R {
  let shared = try #require(PushChainTrait.current)
  return try await Task(executorPreference: shared.loop) {
    try await body(shared.chain.value)
  }.value
}
