import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

@Suite struct ReconnectTests {
  @Test func `without a server a request comes back as never sent, after few connects`()
    async throws
  {
    try await onLoop { loop in
      let endpoint = try ScriptedServer(on: loop).endpoint
      var settings = PoolSettings(endpoint: endpoint, tls: nil)
      settings.connectTimeout = .milliseconds(200)
      settings.requestTimeout = .seconds(90)
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      let begin = ContinuousClock.now
      #expect(await sendOne(pool).neverSent == .noConnection)
      #expect(ContinuousClock.now - begin < .seconds(45))
      for _ in 0..<3 { #expect(await sendOne(pool).neverSent == .noConnection) }
      #expect(pool.snapshot.events.connectError <= 2)
      #expect(pool.snapshot.lastFailure.starts(with: "connect"))
      await pool.shutDown()
    }
  }

  @Test func `when the server comes back the waiting requests go out`() async throws {
    try await withPool { loop, server, pool in
      // Accepts and closes at once, twice; then it is well again.
      server.onConnection = { connection in
        if server.connections.count <= 2 { return connection.close() }
        connection.settings()
      }
      let begin = ContinuousClock.now
      #expect(await sendMany(20, each: 1, through: pool, on: loop) >= 18)
      // Pauses of one and two seconds, and a quarter of jitter.
      #expect(ContinuousClock.now - begin >= .milliseconds(2_900))
      #expect(server.connections.count == 3)
      #expect(pool.snapshot.failures == 0)
    }
  }

  @Test func `replaced connections finish what is open, and new ones take what comes`()
    async throws
  {
    try await withPool { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      var held: UInt32?
      server.onRequest = { held = $1 }
      let shared = OnTheLoop(pool)
      async let open = sendOne(shared.value)
      #expect(await eventually(on: loop) { held != nil })
      pool.replaceConnections()
      server.onRequest = { $0.answer($1) }
      #expect(await sendOne(pool).status == 200)
      #expect(server.connections.count == 2)
      server.connections[0].answer(held ?? 0)
      #expect(await open.status == 200)
      #expect(await eventually(on: loop) { server.connections[0].isClosed })
      #expect(server.connections[0].requests.count == 2)
    }
  }

  @Test func `shutting down waits for open requests and refuses others`() async throws {
    try await withPool { loop, server, pool in
      var held: UInt32?
      server.onConnection = { $0.settings(streams: 1) }
      server.onRequest = { held = $1 }
      let shared = OnTheLoop(pool)
      async let open = sendOne(shared.value)
      #expect(await eventually(on: loop) { held != nil })
      async let waiting = sendOne(shared.value)
      #expect(await eventually(on: loop) { pool.snapshot.waiting == 1 })
      async let end: Void = shared.value.shutDown()
      #expect(await waiting.neverSent == .shutDown)
      #expect(await sendOne(pool).neverSent == .shutDown)
      #expect(pool.snapshot.streamsInUse == 1)
      server.connections[0].answer(held ?? 0)
      #expect(await open.status == 200)
      await end
      #expect(await eventually(on: loop) { server.connections[0].isClosed })
    }
  }

  @Test func `a pool grows while requests wait, and no further than its limit`() async throws {
    let few: PoolChange = {
      $0.maxConnections = 4
      $0.maxStreams = 1
    }
    try await withPool([few]) { loop, server, pool in
      var held: [(ScriptedConnection, UInt32)] = []
      server.onRequest = { held.append(($0, $1)) }
      let shared = OnTheLoop(pool)
      async let all = sendMany(20, each: 1, through: shared.value, on: loop)
      #expect(await eventually(on: loop) { held.count == 4 })
      #expect(server.connections.count == 4)
      server.onRequest = { $0.answer($1) }
      for (connection, id) in held { connection.answer(id) }
      #expect(await all == 20)
      #expect(server.connections.count == 4)
    }
  }

  @Test func `requests that find no place come back in time`() async throws {
    let hasty: PoolChange = { $0.requestTimeout = .milliseconds(100) }
    try await withPool([hasty]) { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      server.connections[0].settings(streams: 0)
      #expect(
        await eventually(on: loop) {
          server.connections[0].frames.filter { $0.kind == .settings }.count >= 3
        })
      #expect(await sendOne(pool).neverSent == .noPlace)
    }
  }

  @Test func `a backlog runs at the limit of all connections, and never over it`() async throws {
    let limited: PoolChange = {
      $0.requestsPerSecond = 100
      $0.minConnections = 3
      $0.maxConnections = 3
    }
    try await withPool([limited]) { loop, server, pool in
      // The burst of a fresh pool, and as many again a window later at the pace.
      let begin = ContinuousClock.now
      #expect(await sendMany(100, each: 6, through: pool, on: loop) == 600)
      let seconds = (ContinuousClock.now - begin) / .seconds(1)
      #expect(seconds >= 2.0)
      #expect(pool.snapshot.largestStartsInAnySecond <= 100)
      #expect(pool.snapshot.starts == 600)
    }
  }

  @Test func `a connection made anew goes on in the rate window of the one before`() async throws {
    let limited: PoolChange = { $0.requestsPerSecond = 50 }
    try await withPool([limited]) { loop, server, pool in
      server.onRequest = { connection, id in
        connection.answer(id)
        if connection.requests.count == 50 { connection.goAway(last: id) }
      }
      let begin = ContinuousClock.now
      #expect(await sendMany(10, each: 10, through: pool, on: loop) == 100)
      #expect(ContinuousClock.now - begin >= .seconds(1.9))
      #expect(server.connections.count >= 2)
      #expect(pool.snapshot.largestStartsInAnySecond <= 50)
    }
  }
}
