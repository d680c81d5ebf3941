import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

/// BR-15: the peer's SETTINGS are obeyed at every moment, up, down and 0.
@Suite struct StreamLimitTests {
  @Test func `one request goes alone until the first is accepted`() async throws {
    let alone: PoolChange = { $0.firstRequestAlone = true }
    try await withPool([alone]) { loop, server, pool in
      server.onConnection = { $0.settings(streams: 1_000) }
      var openAtFirst = 0
      server.onRequest = { connection, id in
        if id > 1 { return }
        openAtFirst = connection.openStreams.count
        connection.answer(id)
      }
      let shared = OnTheLoop(pool)
      async let all = sendMany(20, each: 1, through: shared.value, on: loop)
      #expect(await eventually(on: loop) { server.requests == 20 })
      #expect(openAtFirst == 1)
      let connection = server.connections[0]
      #expect(connection.mostOpenStreams == 19)
      for id in connection.openStreams { connection.answer(id) }
      #expect(await all == 20)
    }
  }

  @Test func `a rejected first request leaves the next alone too`() async throws {
    let alone: PoolChange = { $0.firstRequestAlone = true }
    try await withPool([alone]) { loop, server, pool in
      server.onConnection = { $0.settings(streams: 1_000) }
      server.onRequest = { $0.answer($1, status: $1 <= 5 ? 400 : 200) }
      #expect(await sendMany(6, each: 1, through: pool, on: loop) == 3)
      let connection = server.connections[0]
      #expect(connection.requests.prefix(4) == [1, 3, 5, 7])
      #expect(connection.mostOpenStreams <= 3)
    }
  }

  @Test func `nothing starts before the peer's SETTINGS but one request`() async throws {
    try await withPool { loop, server, pool in
      server.onConnection = { $0.acknowledgesSettings = false }
      server.onRequest = { _, _ in }
      let shared = OnTheLoop(pool)
      async let all = sendMany(10, each: 1, through: shared.value, on: loop)
      #expect(await eventually(on: loop) { server.requests == 1 })
      let connection = server.connections[0]
      connection.settings(streams: 5)
      #expect(await eventually(on: loop) { server.requests == 5 })
      // Down: no new one starts until fewer are open than the new limit.
      connection.settings(streams: 2)
      connection.answer(1)
      connection.answer(3)
      connection.answer(5)
      #expect(await eventually(on: loop) { pool.snapshot.streamsInUse == 2 })
      #expect(server.requests == 5)
      connection.answer(7)
      #expect(await eventually(on: loop) { server.requests == 6 })
      // None at all, then any number.
      connection.settings(streams: 0)
      for id in connection.openStreams { connection.answer(id) }
      #expect(await eventually(on: loop) { pool.snapshot.streamsInUse == 0 })
      #expect(server.requests == 6)
      server.onRequest = { $0.answer($1) }
      connection.settings(streams: 100)
      #expect(await all == 10)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `our own limit of streams holds beside the peer's`() async throws {
    let few: PoolChange = { $0.maxStreams = 3 }
    try await withPool([few]) { loop, server, pool in
      #expect(await sendMany(50, each: 4, through: pool, on: loop) == 200)
      #expect(server.connections[0].mostOpenStreams <= 3)
    }
  }

  @Test func `a gateway that cuts the limit at each rejection refuses only the bad`() async throws {
    try await withPool { loop, server, pool in
      server.onConnection = { $0.settings(streams: 1_000) }
      var count = 0
      var isCut = false
      server.onRequest = { connection, id in
        guard connection.openStreams.contains(id) else { return }
        if isCut && connection.openStreams.count > 1 { return connection.reset(id, code: 7) }
        count += 1
        if count % 40 == 0 {
          connection.answer(id, status: 400)
          connection.settings(streams: 1)
          isCut = true
        } else {
          connection.answer(id)
          if isCut { connection.settings(streams: 1_000) }
          isCut = false
        }
      }
      // As many requests as the gateway may judge: every fortieth is bad.
      let accepted = await sendMany(50, each: 8, through: pool, on: loop)
      #expect(accepted == 390)
      #expect(count == 400)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `a connection that has used its stream ids is replaced`() async throws {
    let short: PoolChange = { $0.requestsPerConnection = 10 }
    try await withPool([short]) { loop, server, pool in
      #expect(await sendMany(5, each: 10, through: pool, on: loop) == 50)
      #expect(server.connections.map(\.requests.count).prefix(5) == [10, 10, 10, 10, 10])
      let areClosed = await eventually(on: loop) {
        server.connections.filter(\.isClosed).count >= 4
      }
      #expect(areClosed)
      #expect(pool.snapshot.failures == 0)
    }
  }
}
