import LoopIO
import PushModel
import PushSettings
import PushSimulator
import PushTelemetry
import PushWorker
import TestSupport
import Testing

@testable import PushProviders

/// Providers against the simulator, which shares no check with them: a request that both think
/// right is likelier to be right.
@Suite struct SimulatorTests {
  private func withProviders(
    strict: Bool = true,
    _ body: @escaping @Sendable (Simulator, ProviderSet, WorkerMetrics) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      let options = SimulatorOptions(in: folder, strictStreams: strict)
      let simulator = try await Simulator.start(options, on: loop)
      let ports = await simulator.ports
      let settings = Self.settings(folder, ports)
      let metrics = WorkerMetrics()
      let factory = ProviderFactory(
        settings, try ProviderCredentials(settings, metrics: metrics), metrics: metrics,
        logger: Logger())
      let set = factory.makeProviders(on: loop, shard: 0, of: 1)
      try await body(simulator, set, metrics)
      await set.shutDown()
      await simulator.stop()
    }
  }

  private static func settings(_ folder: TemporaryFolder, _ ports: SimulatorPorts) -> Settings {
    var key = Settings.TokenKey()
    key.keyFile = folder.file("AuthKey_SIMKEY0001.p8")
    key.keyID = "SIMKEY0001"
    key.teamID = "SIMTEAM001"
    var settings = Settings.chat(key, port: ports.apns, caFile: folder.file("ca.pem"))
    settings.apps[0].fcm = Settings.FCM()
    settings.apps[0].fcm?.serviceAccountFile = folder.file("service-account.json")
    settings.apps[0].fcm?.connections.requestsPerSecond = 0
    settings.endpoints.apnsSandbox = HostPort(host: "localhost", port: ports.sandbox)
    settings.endpoints.fcm = HostPort(host: "localhost", port: ports.fcm)
    return settings
  }

  private func apple(
    token: String = String(repeating: "ab", count: 32), type: PushType = .alert
  ) -> PushRequest {
    let request = PushRequest()
    request.deviceToken = bytes(token)
    request.apnsID = bytes("eabeae54-14a8-11e5-b60b-1697f925ec7b")
    request.topic = bytes("com.example.chat" + type.topicSuffix)
    request.pushType = type
    request.body = bytes(#"{"aps":{"alert":"Hello"}}"#)
    return request
  }

  private func google(token: String) -> PushRequest {
    let request = PushRequest()
    request.provider = .fcm
    request.body = bytes(
      #"{"message":{"token":"\#(token)","notification":{"title":"Hi","body":"Hello"}}}"#)
    return request
  }

  private func apns(_ set: ProviderSet, _ at: APNsEnvironment = .production) throws
    -> any PushProvider
  {
    try #require(set.providers[CredentialKey(app: "chat", provider: .apns, environment: at)])
  }

  private func fcm(_ set: ProviderSet) throws -> any PushProvider {
    try #require(set.providers[CredentialKey(app: "chat", provider: .fcm)])
  }

  @Test func `both environments and FCM accept what the providers send`() async throws {
    try await withProviders { _, set, _ in
      #expect(await (try apns(set)).send(apple()).verdict == .accepted)
      let sandbox = await (try apns(set, .sandbox)).send(apple(type: .voip))
      #expect(sandbox.verdict == .accepted)
      #expect(sandbox.answer?.messageName.isEmpty == false)
      let google = await (try fcm(set)).send(google(token: "abc:APA91b-x"))
      #expect(google.verdict == .accepted)
      #expect(google.answer?.messageName.hasPrefix("projects/") == true)
    }
  }

  @Test func `a strict gateway takes a thousand, with one bearer on all connections`() async throws
  {
    try await withProviders { simulator, set, metrics in
      let provider = UncheckedBox(try apns(set))
      let request = UncheckedBox(apple())
      let accepted = await withTaskGroup(of: Bool.self) { group in
        for _ in 0..<1_000 {
          group.addTask { await provider.value.send(request.value).verdict == .accepted }
        }
        return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
      }
      #expect(accepted == 1_000)
      let made = metrics.pushes(app: "chat", provider: .apns).providerTokensMade.value
      #expect(made == 1)
    }
  }

  @Test func `the simulator's ready-made refusals have their verdicts`() async throws {
    try await withProviders { _, set, _ in
      let provider = try apns(set)
      func sent(_ prefix: String) async -> SendOutcome {
        await provider.send(
          apple(token: prefix + String(repeating: "a", count: 64 - prefix.count)))
      }
      guard case .invalidToken(let dead) = await sent("0410").verdict else {
        Issue.record("0410 is not dead")
        return
      }
      #expect(!dead.guarded && dead.unregisteredAt != nil)
      #expect(await sent("0400").verdict == .invalidToken(.init(guarded: true)))
      let slow = await sent("0429")
      #expect(slow.verdict == .retry(.throttled))
      #expect(slow.answer?.retryAfter == .seconds(2))
      #expect(await sent("0500").verdict == .retry(.server))
      #expect(await sent("0503").verdict == .retry(.server))
      let foreign = apple()
      foreign.topic = bytes("com.example.other")
      #expect(await provider.send(foreign).verdict == .pauseCredential(.topic))
      let large = apple()
      large.body = bytes(#"{"aps":{"alert":"\#(String(repeating: "x", count: 4_096))"}}"#)
      #expect(await provider.send(large).verdict == .deadLetter(.payloadTooLarge))
    }
  }

  @Test func `FCM's ready-made refusals have their verdicts`() async throws {
    try await withProviders { _, set, _ in
      let provider = try fcm(set)
      func sent(_ word: String) async -> Verdict? {
        await provider.send(google(token: "abc:\(word)")).verdict
      }
      #expect(await sent("UNREGISTERED") == .invalidToken(.init(guarded: false)))
      #expect(await sent("MISMATCH") == .invalidToken(.init(guarded: true)))
      #expect(await sent("QUOTA") == .retry(.throttled))
      #expect(await sent("UNAVAILABLE") == .retry(.server))
      let bad = google(token: "abc:x")
      bad.body = bytes(#"{"message":{"token":"abc:x","data":{"badge":3}}}"#)
      let outcome = await provider.send(bad)
      #expect(outcome.verdict == .deadLetter(.rejected))
      #expect(outcome.answer?.detail.contains("data") == true)
    }
  }

  @Test(arguments: [-65 * 60, 65 * 60] as [Int64])
  func `a clock an hour off pauses and heals, with few bearers`(offset: Int64) async throws {
    try await withProviders { simulator, set, metrics in
      await simulator.setClockOffset(offset)
      let provider = try apns(set)
      #expect(await provider.send(apple()).verdict == .pauseCredential(.credential))
      for _ in 0..<20 {
        #expect(await provider.send(apple()).neverSent == .breaker)
      }
      await simulator.setClockOffset(0)
      // A connection that saw an expired token stays wedged (apns.md 5.2) until it is replaced.
      #expect(
        await eventually(on: simulator.loop) {
          await provider.send(apple()).verdict == .accepted
        })
      #expect(metrics.pushes(app: "chat", provider: .apns).providerTokensMade.value == 1)
    }
  }
}
