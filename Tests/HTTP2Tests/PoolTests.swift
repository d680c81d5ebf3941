import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

typealias PoolChange = @Sendable (inout PoolSettings) -> Void

/// A pool against a scripted server, in plain HTTP/2.
func withPool(
  _ changes: [PoolChange] = [],
  _ body: @escaping @Sendable (Loop, ScriptedServer, ConnectionPool) async throws -> Void
) async throws {
  try await onLoop { loop in
    let server = try ScriptedServer(on: loop)
    var settings = PoolSettings(endpoint: server.endpoint, tls: nil)
    settings.requestsPerSecond = 0
    settings.maxConnections = 1
    for change in changes { change(&settings) }
    let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
    try await body(loop, server, pool)
    // What a test left hanging ends with its connection.
    for connection in server.connections { connection.close() }
    await pool.shutDown()
    #expect(pool.snapshot.open + pool.snapshot.draining + pool.snapshot.connecting == 0)
  }
}

/// One request with a body.
func sendOne(_ pool: ConnectionPool) async -> RequestOutcome {
  await pool.send(request("/3/device/aa"), body: Array("{}".utf8))
}

extension RequestOutcome {
  var status: Int? {
    guard case .answered(let response) = self else { return nil }
    return response.status
  }

  var neverSent: RequestTrouble.Kind? {
    guard case .neverSent(let trouble) = self else { return nil }
    return trouble.kind
  }

  var unknown: RequestTrouble.Kind? {
    guard case .unknown(let trouble) = self else { return nil }
    return trouble.kind
  }
}

@Suite struct OutcomeTests {
  @Test func `a reset before any status is unknown, and the connection goes on`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { $1 == 1 ? $0.reset($1, code: 2) : $0.answer($1) }
      #expect(await sendOne(pool).unknown == .reset)
      #expect(await sendOne(pool).status == 200)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `a status is an answer even when the stream is reset after it`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        connection.answer(id, ends: false)
        connection.reset(id, code: 2)
      }
      #expect(await sendOne(pool).status == 200)
    }
  }

  @Test func `a stream that ends without a status is unknown`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        connection.send(Frame(kind: .data, flags: Frame.endStream, stream: id))
      }
      // DATA before HEADERS is a fault of the whole connection.
      #expect(await sendOne(pool).unknown == .closed)
    }
  }

  @Test func `a connection that is closed leaves its requests unknown`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, _ in connection.close() }
      #expect(await sendOne(pool).unknown == .closed)
    }
  }

  @Test func `a request refused once is sent again by the pool`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { $1 == 1 ? $0.reset($1, code: 7) : $0.answer($1) }
      #expect(await sendOne(pool).status == 200)
      #expect(server.requests == 2)
    }
  }

  @Test func `a server that refuses all is asked four times, then the request comes back`()
    async throws
  {
    try await withPool { loop, server, pool in
      server.onRequest = { $0.reset($1, code: 7) }
      #expect(await sendOne(pool).neverSent == .refused)
      #expect(server.requests == 4)
    }
  }

  @Test func `no answer before the deadline is unknown, and the stream is cancelled`()
    async throws
  {
    try await withPool([{ $0.requestTimeout = .milliseconds(100) }]) { loop, server, pool in
      server.onRequest = { $1 == 1 ? () : $0.answer($1) }
      #expect(await sendOne(pool).unknown == .timeout)
      #expect(await sendOne(pool).status == 200)
      let resets = server.connections[0].frames.filter { $0.kind == .reset }
      #expect(resets.map(\.stream) == [1])
      #expect(resets.map(\.number) == [8])
      // The late answer finds nobody, and hurts nobody.
      server.connections[0].answer(1)
      #expect(await sendOne(pool).status == 200)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `a body that the peer gives no window for ends at the deadline`() async throws {
    try await withPool([{ $0.requestTimeout = .milliseconds(100) }]) { loop, server, pool in
      server.onConnection = { $0.settings(window: 0) }
      // The first may leave before the SETTINGS are read.
      _ = await sendOne(pool)
      #expect(await sendOne(pool).unknown == .timeout)
      let wasReset = await eventually(on: loop) {
        server.connections[0].frames.contains { $0.kind == .reset }
      }
      #expect(wasReset)
    }
  }

  @Test func `a peer that speaks HTTP 1 never counts as an answer`() async throws {
    try await withPool { loop, server, pool in
      server.onConnection = { $0.send(Array("HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n".utf8)) }
      #expect(await sendOne(pool).status == nil)
    }
  }

  @Test func `a long body is cut, and only asked-for fields are kept`() async throws {
    try await withPool([{ $0.keptHeaders = ["apns-id"] }]) { loop, server, pool in
      server.onRequest = { connection, id in
        var fields: [UInt8] = [0x88]
        for (name, value) in [("apns-id", "abc"), ("x-other", "1")] {
          fields += [0, UInt8(name.utf8.count)] + Array(name.utf8)
          fields += [UInt8(value.utf8.count)] + Array(value.utf8)
        }
        connection.send(
          Frame(kind: .headers, flags: Frame.endHeaders, stream: id, payload: fields))
        let part = [UInt8](repeating: 97, count: 10_000)
        connection.send(Frame(kind: .data, stream: id, payload: part))
        connection.send(Frame(kind: .data, flags: Frame.endStream, stream: id, payload: part))
      }
      let response = try answered(await sendOne(pool))
      #expect(response.body.count == HTTP2Response.bodyLimit)
      #expect(response.header("apns-id") == Array("abc".utf8))
      #expect(response.header("x-other") == nil)
    }
  }
}
