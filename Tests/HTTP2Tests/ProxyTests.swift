import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

/// BR-20: a proxy that is set is used by every connection, and what it says is understood.
@Suite struct ProxyTests {
  /// A pool that reaches a scripted server through a proxy.
  private func withProxy(
    authorization: String? = nil, connectTimeout: Duration = .seconds(10),
    _ body:
      @escaping @Sendable (Loop, ScriptedServer, ConnectProxy, ConnectionPool) async throws -> Void
  ) async throws {
    try await onLoop { loop in
      let server = try ScriptedServer(on: loop)
      let proxy = try ConnectProxy(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: nil)
      settings.requestsPerSecond = 0
      settings.maxConnections = 1
      settings.connectTimeout = connectTimeout
      settings.proxy = HTTPProxy(
        endpoint: .tcp(host: "127.0.0.1", port: proxy.port),
        authorization: authorization.map { Array($0.utf8) })
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      try await body(loop, server, proxy, pool)
      // Nothing went past the proxy.
      #expect(server.connections.count <= proxy.pairs.count)
      for connection in server.connections { connection.close() }
      await pool.shutDown()
      proxy.close()
    }
  }

  private func trouble(_ outcome: RequestOutcome) -> RequestTrouble? {
    guard case .neverSent(let trouble) = outcome else { return nil }
    return trouble
  }

  @Test func `every connection goes through the proxy, with user and password`() async throws {
    try await withProxy(authorization: "Basic c3ZjOnBAc3M6MQ==") { loop, server, proxy, pool in
      proxy.answer = { $0.authorization == "Basic c3ZjOnBAc3M6MQ==" ? .open : .status(407) }
      #expect(await sendMany(10, each: 30, through: pool, on: loop) == 300)
      #expect(proxy.requests.map(\.target).allSatisfy { $0 == server.endpoint.description })
      #expect(proxy.pairs.count == server.connections.count)
    }
  }

  @Test(arguments: [nil, "Basic d3Jvbmc6cGFzcw=="])
  func `a 407 is told plainly, and nothing goes past the proxy`(shown: String?) async throws {
    let brief = Duration.milliseconds(500)
    try await withProxy(authorization: shown, connectTimeout: brief) { _, server, proxy, pool in
      proxy.answer = { _ in .status(407) }
      let trouble = trouble(await sendOne(pool))
      #expect(trouble?.kind == .proxy)
      #expect(trouble?.detail.hasSuffix("password (407)") == true)
      #expect(trouble?.detail.contains(shown == nil ? "asks for" : "refuses") == true)
      #expect(trouble?.detail.contains("d3Jvbmc") == false)
      #expect(server.connections.isEmpty)
      #expect(pool.snapshot.lastFailure == trouble?.detail)
    }
  }

  @Test func `a proxy that is down for a while is asked at growing pauses`() async throws {
    try await withProxy { loop, _, proxy, pool in
      proxy.answer = { [unowned proxy] _ in
        proxy.requests.count <= 2 ? .status(503) : .open
      }
      let begin = ContinuousClock.now
      #expect(await sendMany(5, each: 1, through: pool, on: loop) == 5)
      #expect(ContinuousClock.now - begin >= .milliseconds(2_900))
      #expect(proxy.requests.count == 3)
      #expect(pool.snapshot.failures == 0)
    }
  }

  @Test func `a proxy that says nothing is bounded by the connect time`() async throws {
    let brief = Duration.milliseconds(300)
    try await withProxy(connectTimeout: brief) { loop, _, proxy, pool in
      proxy.answer = { _ in .silence }
      let begin = ContinuousClock.now
      let trouble = trouble(await sendOne(pool))
      #expect(trouble?.kind == .proxy || trouble?.kind == .noConnection)
      #expect(ContinuousClock.now - begin < .seconds(30))
      let isTold = await eventually(on: loop) {
        pool.snapshot.lastFailure.contains("no answer of the proxy")
      }
      #expect(isTold)
    }
  }

  @Test(arguments: [
    ("SSH-2.0-OpenSSH_9.2\r\n\r\n", "does not speak HTTP/1"), ("", "closed the connection"),
    ("HTTP/1.1 200 OK\r\n\r\nhello", "goes on after its end"),
    ("HTTP/1.1 200 OK\r\nx: \(String(repeating: "y", count: 20_000))", "too long"),
    ("HTTP/1.0 502 Bad Gateway\r\n\r\n<html>", "goes on"),
  ])
  func `an answer that is none is refused`(text: String, part: String) async throws {
    let brief = Duration.milliseconds(500)
    try await withProxy(connectTimeout: brief) { _, server, proxy, pool in
      proxy.answer = { _ in .refusal(text) }
      let trouble = trouble(await sendOne(pool))
      #expect(trouble?.kind == .proxy)
      #expect(trouble?.detail.contains(part) == true, "\(trouble?.detail ?? "")")
      #expect(server.connections.isEmpty)
    }
  }

  @Test func `a tunnel that closes in mid-stream ends its requests, and another is made`()
    async throws
  {
    try await withProxy { loop, server, proxy, pool in
      proxy.answer = { [unowned proxy] _ in
        proxy.requests.count == 1 ? .openUntil(bytes: 4_000) : .open
      }
      let accepted = await sendMany(4, each: 100, through: pool, on: loop)
      #expect(accepted < 400 && accepted >= 390)
      #expect(proxy.requests.count >= 2)
      #expect(server.connections[0].isClosed)
    }
  }

  @Test func `without the proxy there is no connection, never a direct one`() async throws {
    let brief = Duration.milliseconds(300)
    try await withProxy(connectTimeout: brief) { _, server, proxy, pool in
      proxy.close()
      let trouble = trouble(await sendOne(pool))
      #expect(trouble?.kind == .proxy)
      #expect(trouble?.detail.contains("no connection to the proxy") == true)
      #expect(server.connections.isEmpty)
    }
  }

  @Test func `TLS is spoken with the server behind the proxy, not with the proxy`() async throws {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      let proxy = try ConnectProxy(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: server.client)
      settings.maxConnections = 1
      settings.proxy = HTTPProxy(endpoint: .tcp(host: "127.0.0.1", port: proxy.port))
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      #expect(await sendMany(5, each: 10, through: pool, on: loop) == 50)
      #expect(proxy.pairs.count == 1)
      await pool.shutDown()
      proxy.close()
    }
  }
}
