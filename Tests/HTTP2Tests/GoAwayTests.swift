import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

/// BR-13: after GOAWAY the dead session must not stay in the pool.
@Suite struct GoAwayTests {
  @Test func `after GOAWAY open streams end, and the next request finds another connection`()
    async throws
  {
    try await withPool { loop, server, pool in
      var late: (ScriptedConnection, UInt32)?
      server.onRequest = { connection, id in
        if connection === server.connections[0] && id == 3 {
          connection.goAway(last: 3)
          late = (connection, id)
        } else {
          connection.answer(id)
        }
      }
      #expect(await sendOne(pool).status == 200)
      let shared = OnTheLoop(pool)
      async let open = sendOne(shared.value)
      #expect(await eventually(on: loop) { pool.snapshot.draining == 1 })
      #expect(await sendOne(pool).status == 200)
      #expect(server.connections.count == 2)
      if let late { late.0.answer(late.1) }
      #expect(await open.status == 200)
      #expect(await eventually(on: loop) { server.connections[0].isClosed })
      #expect(server.connections[0].requests == [1, 3])
    }
  }

  @Test func `streams above the last id are sent again, those below are awaited`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        guard connection === server.connections[0], id > 1 else { return connection.answer(id) }
        guard connection.requests.count == 11 else { return }
        connection.goAway(last: 11, debug: #"{"reason":"Shutdown"}"#)
        for id in stride(from: UInt32(3), through: 11, by: 2) { connection.answer(id) }
      }
      #expect(await sendOne(pool).status == 200)
      #expect(await sendMany(10, each: 1, through: pool, on: loop) == 10)
      #expect(server.requests == 16)
      #expect(server.connections.count == 2)
      #expect(pool.snapshot.events.goAway == 1)
    }
  }

  @Test(arguments: [1, 2])
  func `GOAWAY of the newest stream, also twice, loses and doubles nothing`(times: Int)
    async throws
  {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        connection.answer(id)
        guard connection.requests.count == 50 else { return }
        for _ in 0..<times { connection.goAway(last: id) }
      }
      #expect(await sendMany(4, each: 50, through: pool, on: loop) == 200)
      // What left before the GOAWAY arrived stood above its id and went again.
      for connection in server.connections.dropLast() {
        #expect(await eventually(on: loop) { connection.isClosed })
      }
      #expect(server.connections.count >= 4)
      #expect(pool.snapshot.events.connectError == 0)
    }
  }

  @Test func `GOAWAY as the first frame after SETTINGS only costs a pause`() async throws {
    try await withPool { loop, server, pool in
      server.onConnection = { connection in
        connection.settings()
        if server.connections.count == 1 { connection.goAway(last: 0) }
      }
      let begin = ContinuousClock.now
      #expect(await sendOne(pool).status == 200)
      #expect(ContinuousClock.now - begin < .seconds(10))
      #expect(server.requests <= 2)
    }
  }

  @Test func `a server that only says GOAWAY is asked at growing pauses`() async throws {
    let brief: PoolChange = { $0.connectTimeout = .seconds(2) }
    try await withPool([brief]) { loop, server, pool in
      server.onConnection = { connection in
        connection.settings()
        connection.goAway(last: 0)
      }
      #expect(await sendOne(pool).neverSent != nil)
      #expect(server.connections.count <= 3)
    }
  }
}
