import HTTP2
import LoopIO
import PushCrypto
import PushModel
import PushSettings
import PushTelemetry
import PushWorker
import SharedState
import TestSupport
import Testing

@testable import PushProviders

/// The breaker as shards meet it: providers of the factory, real TLS, real refusals.
@Suite struct BreakerGateTests {
  private static let apns = CredentialKey(app: "chat", provider: .apns)

  private static func settings(_ server: StubServer) throws -> Settings {
    write(try PrivateKey.makeP256().pem, to: server.folder.file("apns.p8"))
    var key = Settings.TokenKey()
    key.keyFile = server.folder.file("apns.p8")
    key.keyID = "KEY"
    key.teamID = "TEAM"
    return .chat(key, port: server.port, caFile: server.caFile)
  }

  /// Two shards on one loop.
  private func withShards(
    _ change: @escaping @Sendable (inout Settings) -> Void = { _ in },
    _ body:
      @escaping @Sendable (Loop, StubServer, [any PushProvider], WorkerMetrics)
      async throws -> Void
  ) async throws {
    try await withServer { loop, server in
      var settings = try Self.settings(server)
      change(&settings)
      let metrics = WorkerMetrics()
      let factory = ProviderFactory(
        settings, try ProviderCredentials(settings), metrics: metrics,
        logger: Logger(level: .error))
      let sets = (0..<2).map { factory.makeProviders(on: loop, shard: $0, of: 2) }
      try await body(loop, server, sets.compactMap { $0.providers[Self.apns] }, metrics)
      for set in sets { await set.shutDown() }
    }
  }

  private func breakerOpen(_ metrics: WorkerMetrics) -> Double {
    metrics.pushes(app: "chat", provider: .apns).breakerOpen.value
  }

  @Test func `a refused key stops all shards, one probes, and what was told opens them`()
    async throws
  {
    try await withShards { loop, server, shards, metrics in
      server.reply = { _ in .init(403, #"{"reason":"InvalidProviderToken"}"#) }
      var changes = 0
      shards[1].onGateChange = { changes += 1 }
      #expect(await shards[0].send(apnsRequest()).verdict == .pauseCredential(.credential))
      #expect(shards.allSatisfy { $0.gate == .shut })
      #expect(breakerOpen(metrics) == 1)
      for shard in shards {
        #expect(await shard.send(apnsRequest()).neverSent == .breaker)
      }
      #expect(server.requests.count == 1)
      #expect(await eventually(on: loop) { shards[1].gate == .limited(1) })
      #expect(changes >= 2)
      server.reply = { _ in .init() }
      #expect(await shards[1].send(apnsRequest()).verdict == .accepted)
      #expect(shards.allSatisfy { $0.gate == .limited(1) })
      #expect(breakerOpen(metrics) == 0)
      while shards[0].gate != .open {
        #expect(await shards[0].send(apnsRequest()).verdict == .accepted)
      }
      #expect(shards[1].gate == .open)
    }
  }

  @Test func `while one shard's probe is under way no other sends`() async throws {
    try await withShards { loop, server, shards, _ in
      server.reply = { _ in .init(403, #"{"reason":"InvalidProviderToken"}"#) }
      _ = await shards[0].send(apnsRequest())
      #expect(await eventually(on: loop) { shards[1].gate == .limited(1) })
      server.reply = { _ in nil }
      let first = UncheckedBox(shards[0])
      let probe = Task(executorPreference: loop) { await first.value.send(apnsRequest()) }
      #expect(await eventually(on: loop) { server.requests.count == 2 })
      #expect(shards[1].gate == .shut && shards[0].gate == .limited(1))
      #expect(await shards[1].send(apnsRequest()).neverSent == .breaker)
      #expect(await shards[0].send(apnsRequest()).neverSent == .breaker)
      // Ended by ourselves: the other may probe.
      shards[0].cutOff()
      _ = await probe.value
      #expect(shards[1].gate != .open)
    }
  }

  @Test func `when nobody answers the phone, waiting requests come back, unspent and soon`()
    async throws
  {
    try await withShards { loop, server, shards, _ in
      server.close()
      let shard = UncheckedBox(shards[0])
      let begin = ContinuousClock.now
      let outcomes = await withTaskGroup(of: SendTrouble.Kind?.self) { group in
        for _ in 0..<20 { group.addTask { await shard.value.send(apnsRequest()).neverSent } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      // What comes when the breaker has opened already is refused by it.
      #expect(outcomes.allSatisfy { $0 == .noConnection || $0 == .breaker })
      #expect(outcomes.contains(.noConnection))
      // A request alone would wait ten seconds for a connection.
      #expect(ContinuousClock.now - begin < .seconds(8))
      #expect(shards[1].gate == .shut)
      // The probe connects at once, whatever the pool's own pause was.
      #expect(await eventually(on: loop) { shards[1].gate == .limited(1) })
      #expect(await shards[1].send(apnsRequest()).neverSent == .noConnection)
      #expect(shards[0].gate == .shut)
    }
  }

  @Test func `a probe that gets no answer takes its connection with it, alive as that may be`()
    async throws
  {
    let impatient: @Sendable (inout Settings) -> Void = {
      $0.request.timeout = .milliseconds(500)
      $0.breaker.openAfter = 2
    }
    try await withShards(impatient) { loop, server, shards, _ in
      #expect(await shards[0].send(apnsRequest()).verdict == .accepted)
      // They answer PING for ever, and no request any more; those made later do.
      var silent = Int.max
      server.reply = { $0.connection < silent ? nil : .init() }
      for _ in 0..<50 where shards[0].gate == .open { _ = await shards[0].send(apnsRequest()) }
      #expect(await eventually(on: loop) { shards[0].gate == .limited(1) })
      silent = server.connections
      #expect(await shards[0].send(apnsRequest()).verdict == nil)
      #expect(await eventually(on: loop) { shards[0].gate == .limited(1) })
      #expect(await shards[0].send(apnsRequest()).verdict == .accepted)
    }
  }

  @Test func `a probe with nothing to send leaves the probing to the next`() async throws {
    try await withShards { loop, server, shards, _ in
      server.reply = { _ in .init(403, #"{"reason":"InvalidProviderToken"}"#) }
      _ = await shards[0].send(apnsRequest())
      #expect(await eventually(on: loop) { shards[0].gate == .limited(1) })
      server.reply = { _ in .init() }
      let empty = EmptyPush()
      shards[0].send(empty)
      #expect(await eventually(on: loop) { empty.wasAsked })
      #expect(server.requests.count == 1 && shards[0].gate == .limited(1))
      #expect(await shards[1].send(apnsRequest()).verdict == .accepted)
    }
  }

  @Test func `server errors on all shut the gate, and refused messages never do`() async throws {
    try await withShards { loop, server, shards, _ in
      server.reply = { _ in .init(400, #"{"reason":"BadDeviceToken"}"#) }
      for _ in 0..<60 { _ = await shards[0].send(apnsRequest()) }
      server.reply = { _ in .init(400, #"{"reason":"TopicDisallowed"}"#) }
      let foreign = apnsRequest()
      foreign.topic = bytes("com.example.other")
      #expect(await shards[0].send(foreign).verdict == .pauseCredential(.topic))
      #expect(await shards[0].send(foreign).neverSent == .paused)
      #expect(shards[0].gate == .open)
      server.reply = { _ in .init(503, #"{"reason":"ServiceUnavailable"}"#) }
      var sent = 0
      while shards[0].gate == .open, sent < 1_000 {
        #expect(await shards[0].send(apnsRequest()).verdict == .retry(.server))
        sent += 1
      }
      #expect((5...50).contains(sent))
      #expect(shards[1].gate == .shut)
    }
  }

  @Test func `a provider that refuses every stream is left alone, one that refuses some is not`()
    async throws
  {
    try await onLoop { loop in
      let folder = TemporaryFolder()
      let authority = try CertificateAuthority()
      write(authority.certificatePEM, to: folder.file("ca.pem"))
      write(try PrivateKey.makeP256().pem, to: folder.file("apns.p8"))
      let issued = try authority.makeServer()
      let identity = TLSIdentity(
        certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM)
      let server = try ScriptedServer(
        on: loop, tls: try TLSContext.server(identity: identity, alpn: ["h2"]))
      var key = Settings.TokenKey()
      (key.keyFile, key.keyID, key.teamID) = (folder.file("apns.p8"), "KEY", "TEAM")
      let settings = Settings.chat(
        key, port: server.listener?.port ?? 0, caFile: folder.file("ca.pem"))
      let set = ProviderFactory(
        settings, try ProviderCredentials(settings), metrics: WorkerMetrics(),
        logger: Logger(level: .error)
      ).makeProviders(on: loop, shard: 0, of: 1)
      let provider = try #require(set.providers[Self.apns])
      var refusesAll = false
      server.onRequest = { [unowned server] connection, id in
        if refusesAll || server.requests % 3 != 0 {
          connection.reset(id, code: 7)
        } else {
          connection.answer(id)
        }
      }
      for _ in 0..<30 { #expect(await provider.send(apnsRequest()).verdict == .accepted) }
      #expect(provider.gate == .open)
      refusesAll = true
      let before = server.requests
      for _ in 0..<50 {
        let trouble = await provider.send(apnsRequest()).neverSent
        #expect(trouble == .refused || trouble == .breaker)
      }
      #expect(provider.gate == .shut)
      #expect(server.requests - before <= 200)
      await set.shutDown()
    }
  }
}

/// One whose time is over when its place comes.
private final class EmptyPush: OutgoingPush {
  let request = PushRequest()
  let precedence: UInt8 = 0
  var wasAsked = false

  func build(at now: Int64) -> Bool {
    wasAsked = true
    return false
  }

  func ended(_ outcome: SendOutcome) { Issue.record("it hears of no end") }
}
