import HTTP2
import LoopIO
import PushCrypto
import PushModel
import PushWorker
import SharedState
import TestSupport
import Testing

@testable import PushProviders

/// A pool that connects to the stub.
func pool(
  to server: StubServer, on loop: Loop, keeping headers: [String], clock: any PushClock,
  change: (inout PoolSettings) -> Void = { _ in }
) throws -> ConnectionPool {
  var settings = PoolSettings(
    endpoint: .tcp(host: "127.0.0.1", port: server.port),
    tls: try TLSContext.client(caFile: server.caFile, identity: nil, alpn: ["h2"]),
    serverName: "localhost")
  settings.keptHeaders = headers
  settings.requestsPerSecond = 0
  settings.maxConnections = 1
  settings.requestTimeout = .seconds(5)
  change(&settings)
  return ConnectionPool(settings, on: loop, clock: SystemClock())
}

/// How a test's pool differs from the usual one.
struct PoolChange: Sendable {
  var apply: @Sendable (inout PoolSettings) -> Void = { _ in }

  init() {}
  init(_ apply: @escaping @Sendable (inout PoolSettings) -> Void) { self.apply = apply }
}

func apnsRequest() -> PushRequest {
  let request = PushRequest()
  request.deviceToken = bytes(String(repeating: "ab", count: 32))
  request.apnsID = bytes("eabeae54-14a8-11e5-b60b-1697f925ec7b")
  request.topic = bytes("com.example.chat.voip")
  request.pushType = .voip
  request.priority = 10
  request.expiration = 1_700_000_030
  request.collapseID = bytes("room-1")
  request.extraHeaders = [(bytes("apns-extra"), bytes("x"))]
  request.body = bytes(#"{"aps":{}}"#)
  return request
}

extension SendOutcome {
  var verdict: Verdict? {
    guard case .answered(_, let verdict) = self else { return nil }
    return verdict
  }

  var answer: Answer? {
    guard case .answered(let answer, _) = self else { return nil }
    return answer
  }

  var neverSent: SendTrouble.Kind? {
    guard case .neverSent(let trouble) = self else { return nil }
    return trouble.kind
  }

  var unknown: SendTrouble.Kind? {
    guard case .unknown(let trouble) = self else { return nil }
    return trouble.kind
  }
}

@Suite struct APNsProviderTests {
  /// A provider of a production or sandbox credential against the stub.
  private func withProvider(
    _ environment: APNsEnvironment = .production,
    _ change: PoolChange = PoolChange(),
    _ body: @escaping @Sendable (Loop, StubServer, APNsProvider, TurnedClock) async throws -> Void
  ) async throws {
    try await withServer { loop, server in
      let clock = TurnedClock()
      let tokens = try ProviderTokenSource(
        key: try PrivateKey.makeP256(), keyID: "KEY", teamID: "TEAM", clock: clock)
      let provider = APNsProvider(
        key: CredentialKey(app: "chat", provider: .apns, environment: environment),
        authority: "api.push.apple.com",
        pool: try pool(
          to: server, on: loop, keeping: APNsProvider.keptHeaders, clock: clock,
          change: change.apply),
        tokens: tokens, clock: clock)
      try await body(loop, server, provider, clock)
      await provider.shutDown()
    }
  }

  @Test func `a request has the fields that Apple asks for`() async throws {
    try await withProvider { _, server, provider, _ in
      let outcome = await provider.send(apnsRequest())
      #expect(outcome.verdict == .accepted)
      let request = try #require(server.requests.first)
      #expect(request.bearer.hasPrefix("bearer "))
      var fields = request.fields
      fields["authorization"] = nil
      #expect(
        fields == [
          ":method": "POST", ":scheme": "https", ":authority": "api.push.apple.com",
          ":path": "/3/device/" + String(repeating: "ab", count: 32),
          "apns-topic": "com.example.chat.voip", "apns-push-type": "voip",
          "apns-id": "eabeae54-14a8-11e5-b60b-1697f925ec7b", "apns-priority": "10",
          "apns-expiration": "1700000030", "apns-collapse-id": "room-1", "apns-extra": "x",
        ])
      #expect(request.body == bytes(#"{"aps":{}}"#))
    }
  }

  @Test func `what is not wished is not sent, and requests do not mix`() async throws {
    try await withProvider { _, server, provider, _ in
      _ = await provider.send(apnsRequest())
      let plain = PushRequest()
      plain.deviceToken = bytes("cd")
      plain.topic = bytes("com.example.chat")
      _ = await provider.send(plain)
      let fields = server.requests[1].fields
      #expect(fields["apns-collapse-id"] == nil && fields["apns-id"] == nil)
      #expect(fields["apns-extra"] == nil)
      #expect(fields[":path"] == "/3/device/cd" && fields["apns-push-type"] == "alert")
    }
  }

  @Test func `one bearer serves all connections and topics`() async throws {
    let wide = PoolChange { $0.maxConnections = 4 }
    try await withProvider(.production, wide) { _, server, provider, _ in
      await withTaskGroup(of: Void.self) { group in
        let shared = UncheckedBox(provider)
        for _ in 0..<100 { group.addTask { _ = await shared.value.send(apnsRequest()) } }
      }
      #expect(server.requests.count == 100)
      #expect(Set(server.requests.map(\.bearer)).count == 1)
    }
  }

  @Test func `a refusal carries its reason, and its time`() async throws {
    try await withProvider { _, server, provider, _ in
      server.reply = { _ in
        .init(410, #"{"reason":"Unregistered","timestamp":1732950000123}"#)
      }
      let outcome = await provider.send(apnsRequest())
      #expect(outcome.answer?.reason == "Unregistered")
      #expect(
        outcome.verdict
          == .invalidToken(.init(guarded: false, unregisteredAt: 1_732_950_000_123)))
      server.reply = { _ in
        .init(429, #"{"reason":"TooManyRequests"}"#, fields: [("retry-after", "7")])
      }
      #expect(await provider.send(apnsRequest()).answer?.retryAfter == .seconds(7))
    }
  }

  @Test func `the sandbox's id of a push is kept`() async throws {
    try await withProvider(.sandbox) { _, server, provider, _ in
      server.reply = { _ in .init(200, fields: [("apns-unique-id", "u-1")]) }
      #expect(await provider.send(apnsRequest()).answer?.messageName == "u-1")
    }
  }

  @Test func `an expired token is replaced together with its connections`() async throws {
    try await withProvider { loop, server, provider, clock in
      _ = await provider.send(apnsRequest())
      clock.pass(minutes: 25)
      let first = server.requests[0].bearer
      server.reply = { request in
        request.bearer == first ? .init(403, #"{"reason":"ExpiredProviderToken"}"#) : .init()
      }
      let outcome = await provider.send(apnsRequest())
      #expect(outcome.verdict == .refreshAuth)
      let again = await provider.send(apnsRequest())
      #expect(again.verdict == .accepted)
      #expect(server.requests.map(\.connection) == [0, 0, 1])
      #expect(server.requests[2].bearer != first)
    }
  }

  @Test func `what the peer did not process goes again with the token that counts by then`()
    async throws
  {
    try await withProvider { _, server, provider, clock in
      _ = await provider.send(apnsRequest())
      clock.pass(minutes: 25)
      let first = server.requests[0].bearer
      server.reply = { [unowned server] request in
        if request.bearer != first { return .init() }
        return server.requests.count == 2
          ? .init(403, #"{"reason":"ExpiredProviderToken"}"#) : .refused
      }
      let shared = UncheckedBox(provider)
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<2 { group.addTask { _ = await shared.value.send(apnsRequest()) } }
      }
      #expect(server.requests.map(\.connection) == [0, 0, 0, 1])
      let again = try #require(server.requests.last)
      #expect(again.bearer != first)
      var (fields, before) = (again.fields, server.requests[2].fields)
      (fields["authorization"], before["authorization"]) = (nil, nil)
      #expect(fields == before && again.body == server.requests[2].body)
    }
  }

  @Test func `a fresh token that is called expired pauses and names the clock`() async throws {
    try await withProvider { _, server, provider, _ in
      server.reply = { _ in .init(403, #"{"reason":"ExpiredProviderToken"}"#) }
      for _ in 0..<20 {
        let outcome = await provider.send(apnsRequest())
        #expect(outcome.verdict == .pauseCredential(.credential))
        #expect(outcome.answer?.detail.contains("clock") == true)
      }
      #expect(Set(server.requests.map(\.bearer)).count == 1)
    }
  }

  @Test func `a refused token names the clock by the answer's date`() async throws {
    try await withProvider { _, server, provider, _ in
      server.reply = { _ in
        .init(
          403, #"{"reason":"InvalidProviderToken"}"#,
          fields: [("date", "Tue, 14 Nov 2023 23:18:20 GMT")])
      }
      let outcome = await provider.send(apnsRequest())
      #expect(outcome.verdict == .pauseCredential(.credential))
      #expect(outcome.answer?.detail.contains("clock is 3900 s slow") == true)
    }
  }

  @Test func `too many token updates make no token, and leave the connection`() async throws {
    try await withProvider { _, server, provider, clock in
      server.reply = { _ in .init(429, #"{"reason":"TooManyProviderTokenUpdates"}"#) }
      for _ in 0..<20 {
        #expect(await provider.send(apnsRequest()).verdict == .retry(.tokenUpdates))
      }
      #expect(Set(server.requests.map(\.bearer)).count == 1)
      #expect(server.connections == 2)
    }
  }

  @Test func `a connection of another key is left, but not at each answer`() async throws {
    try await withProvider { loop, server, provider, clock in
      server.reply = { _ in .init(403, #"{"reason":"UnrelatedKeyIdInToken"}"#) }
      for _ in 0..<10 {
        #expect(await provider.send(apnsRequest()).verdict == .retry(.newConnection))
      }
      #expect(server.connections == 2)
      clock.pass(seconds: 11)
      _ = await provider.send(apnsRequest())
      _ = await provider.send(apnsRequest())
      #expect(server.connections == 3)
    }
  }

  @Test func `no answer in time is unknown, no server is never sent`() async throws {
    let hasty = PoolChange { $0.requestTimeout = .milliseconds(200) }
    try await withProvider(.production, hasty) { _, server, provider, _ in
      server.reply = { _ in nil }
      #expect(await provider.send(apnsRequest()).unknown == .timeout)
    }
    let astray = PoolChange { settings in
      settings.endpoint = .tcp(host: "127.0.0.1", port: 1)
      settings.connectTimeout = .milliseconds(200)
    }
    try await withProvider(.production, astray) { _, _, provider, _ in
      #expect(await provider.send(apnsRequest()).neverSent == .noConnection)
    }
  }

  @Test func `after the end nothing is sent`() async throws {
    try await withProvider { _, server, provider, _ in
      await provider.shutDown()
      #expect(await provider.send(apnsRequest()).neverSent == .shutdown)
      #expect(server.requests.isEmpty)
    }
  }
}

@Suite struct FCMProviderTests {
  private static let key = try? PrivateKey.makeRSA2048()

  /// The stub is token endpoint and FCM at once.
  private func withProvider(
    _ body: @escaping @Sendable (StubServer, FCMProvider, TurnedClock) async throws -> Void
  ) async throws {
    let key = try #require(Self.key)
    try await withServer { loop, server in
      let clock = TurnedClock()
      let exchange = TokenExchange(
        account: try account(of: server, key: key), caFile: server.caFile)
      let provider = FCMProvider(
        key: CredentialKey(app: "chat", provider: .fcm), authority: "fcm.googleapis.com",
        projectID: "demo",
        pool: try pool(
          to: server, on: loop, keeping: FCMProvider.keptHeaders, clock: clock),
        tokens: AccessTokenSource(exchange: exchange, clock: clock), clock: clock)
      try await body(server, provider, clock)
      await provider.shutDown()
    }
  }

  private func message() -> PushRequest {
    let request = PushRequest()
    request.provider = .fcm
    request.body = bytes(#"{"message":{"token":"t"}}"#)
    return request
  }

  /// Grants tokens that are numbered, and leaves the rest to `answer`.
  private func granting(
    _ server: StubServer, _ answer: @escaping (StubServer.Request) -> StubServer.Reply
  ) {
    var granted = 0
    server.reply = { request in
      guard request.path == "/token" else { return answer(request) }
      granted += 1
      return .init(200, #"{"access_token":"ya29.\#(granted)","expires_in":3599}"#)
    }
  }

  private func pushes(_ server: StubServer) -> [StubServer.Request] {
    server.requests.filter { $0.path != "/token" }
  }

  /// FCM's answer with an error code of its own (fcm.md 6).
  private static func refusal(_ code: Int64, _ status: String, _ error: String) -> StubServer.Reply
  {
    .init(
      code,
      #"{"error":{"code":\#(code),"status":"\#(status)","details":[{"@type":"type.googleapis.com/"#
        + #"google.firebase.fcm.v1.FcmError","errorCode":"\#(error)"}]}}"#)
  }

  @Test func `a bad key of the project for Apple rests Apple's targets alone`() async throws {
    try await withProvider { server, provider, clock in
      granting(server) { _ in Self.refusal(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR") }
      let apple = message()
      apple.platform = .ios
      #expect(await provider.send(apple).verdict == .pauseCredential(.appleAndWeb))
      #expect(await provider.send(apple).neverSent == .paused)
      granting(server) { _ in .init(200, #"{"name":"n"}"#) }
      let android = message()
      android.platform = .android
      #expect(await provider.send(android).verdict == .accepted)
      #expect(await provider.send(apple).neverSent == .paused)
      clock.pass(seconds: 16)
      #expect(await provider.send(apple).verdict == .accepted)
      #expect(await provider.send(apple).verdict == .accepted)
    }
  }

  @Test func `an installation id by shape alone is condemned with care`() async throws {
    try await withProvider { server, provider, _ in
      granting(server) { _ in Self.refusal(404, "NOT_FOUND", "UNREGISTERED") }
      let request = message()
      #expect(await provider.send(request).verdict == .invalidToken(.init(guarded: false)))
      request.isFIDByShape = true
      #expect(await provider.send(request).verdict == .invalidToken(.init(guarded: true)))
    }
  }

  @Test func `a message goes to its project with an access token`() async throws {
    try await withProvider { server, provider, _ in
      granting(server) { _ in .init(200, #"{"name":"projects/demo/messages/0:1"}"#) }
      let outcome = await provider.send(message())
      #expect(outcome.verdict == .accepted)
      #expect(outcome.answer?.messageName == "projects/demo/messages/0:1")
      let request = try #require(pushes(server).first)
      #expect(
        request.fields == [
          ":method": "POST", ":scheme": "https", ":authority": "fcm.googleapis.com",
          ":path": "/v1/projects/demo/messages:send", "content-type": "application/json",
          "authorization": "Bearer ya29.1",
        ])
      #expect(request.body == message().body)
    }
  }

  @Test func `a hundred messages need one exchange`() async throws {
    try await withProvider { server, provider, _ in
      granting(server) { _ in .init(200, "{}") }
      let shared = UncheckedBox(provider)
      let request = UncheckedBox(message())
      await withTaskGroup(of: Void.self) { group in
        for _ in 0..<100 { group.addTask { _ = await shared.value.send(request.value) } }
      }
      #expect(pushes(server).count == 100)
      #expect(server.requests.count == 101)
    }
  }

  @Test func `a token that ran out is renewed once, a fresh one that is refused pauses`()
    async throws
  {
    try await withProvider { server, provider, clock in
      granting(server) { request in
        request.bearer == "Bearer ya29.1"
          ? .init(401, #"{"error":{"code":401,"status":"UNAUTHENTICATED"}}"#) : .init(200, "{}")
      }
      #expect(await provider.send(message()).verdict == .pauseCredential(.credential))
      clock.pass(minutes: 2)
      #expect(await provider.send(message()).verdict == .refreshAuth)
      #expect(await provider.send(message()).verdict == .accepted)
      #expect(server.requests.filter { $0.path == "/token" }.count == 2)
    }
  }

  @Test func `a refused account pauses, a silent endpoint does not`() async throws {
    try await withProvider { server, provider, clock in
      server.reply = { _ in .init(400, #"{"error":"invalid_grant"}"#) }
      let outcome = await provider.send(message())
      #expect(outcome.verdict == .pauseCredential(.credential))
      #expect(outcome.answer?.reason == "invalid_grant")
      clock.pass(minutes: 2)
      server.reply = { _ in .init(503, "") }
      #expect(await provider.send(message()).neverSent == .auth)
      #expect(pushes(server).isEmpty)
    }
  }

  @Test func `a dead token is told from a dead Live Activity token`() async throws {
    try await withProvider { server, provider, _ in
      granting(server) { _ in
        .init(
          404,
          #"{"error":{"details":[{"@type":"t/google.firebase.fcm.v1.FcmError","#
            + #""errorCode":"UNREGISTERED"},{"@type":"t/google.firebase.fcm.v1.ApnsError","#
            + #""statusCode":410}]}}"#)
      }
      #expect(
        await provider.send(message()).verdict == .invalidToken(.init(guarded: false)))
      let activity = message()
      activity.pushType = .liveactivity
      #expect(
        await provider.send(activity).verdict
          == .invalidToken(.init(guarded: false, isLiveActivity: true)))
    }
  }
}
