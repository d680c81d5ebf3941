import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

/// BR-17: a connection that a firewall forgot is found by PING.
@Suite struct DeadConnectionTests {
  private let quick: PoolChange = {
    $0.pingIdle = .milliseconds(50)
    $0.pingSilence = .milliseconds(50)
    $0.pingTimeout = .milliseconds(100)
  }

  @Test func `a connection that went silent is replaced, and what was on it is unknown`()
    async throws
  {
    try await withPool([quick]) { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      server.connections[0].isSilent = true
      #expect(await sendOne(pool).unknown == .closed)
      #expect(await sendOne(pool).status == 200)
      #expect(server.connections.count == 2)
      #expect(pool.snapshot.events.pingTimeout == 1)
    }
  }

  @Test func `requests given up before the peer is asked do not hide that it is gone`() async throws
  {
    let impatient: PoolChange = {
      $0.requestTimeout = .seconds(1)
      $0.pingIdle = nil
      $0.pingSilence = .seconds(2)
      $0.pingTimeout = .milliseconds(100)
    }
    try await withPool([impatient]) { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      server.connections[0].isSilent = true
      #expect(await sendOne(pool).unknown == .timeout)
      #expect(await eventually(on: loop) { pool.snapshot.events.pingTimeout == 1 })
    }
  }

  @Test func `an idle connection is asked now and then, and found dead`() async throws {
    try await withPool([quick]) { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      let begin = ContinuousClock.now
      let first = server.connections[0]
      #expect(await eventually(on: loop) { first.frames.filter { $0.kind == .ping }.count == 3 })
      #expect(ContinuousClock.now - begin >= .milliseconds(140))
      first.isSilent = true
      #expect(await eventually(on: loop) { pool.snapshot.events.pingTimeout == 1 })
      #expect(await sendOne(pool).status == 200)
    }
  }

  @Test func `a server that answers PING but is slow is not dropped`() async throws {
    try await withPool([quick]) { loop, server, pool in
      var held: UInt32?
      server.onRequest = { held = $1 }
      let shared = OnTheLoop(pool)
      async let slow = sendOne(shared.value)
      #expect(await eventually(on: loop) { held != nil })
      let connection = server.connections[0]
      #expect(
        await eventually(on: loop) { connection.frames.filter { $0.kind == .ping }.count > 5 })
      connection.answer(held ?? 0)
      #expect(await slow.status == 200)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `a cut-off ends at once what is under way, as unknown`() async throws {
    try await withPool { loop, server, pool in
      var held: UInt32?
      server.onRequest = { held = $1 }
      let shared = OnTheLoop(pool)
      async let stuck = sendOne(shared.value)
      #expect(await eventually(on: loop) { held != nil })
      pool.cutOff()
      #expect(await stuck.unknown == .shutDown)
      await pool.shutDown()
    }
  }

  @Test func `a peer that resets TCP in mid-flight leaves the process and the books whole`()
    async throws
  {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        if connection.requests.count == 1 { connection.answer(id) }
        if connection.requests.count == 11 { connection.close() }
      }
      for round in 1...50 {
        #expect(await sendOne(pool).status == 200)
        #expect(await sendMany(30, each: 1, through: pool, on: loop) == 0)
        // The books: every lane came back.
        #expect(pool.snapshot.streamsInUse == 0 && pool.snapshot.waiting == 0)
        #expect(server.connections.filter { !$0.requests.isEmpty }.count >= round)
      }
    }
  }

  @Test func `a close while idle is no fault, and the next request connects again`() async throws {
    try await withPool { loop, server, pool in
      #expect(await sendOne(pool).status == 200)
      server.connections[0].close()
      #expect(await eventually(on: loop) { pool.snapshot.events.closed == 1 })
      #expect(await sendOne(pool).status == 200)
      #expect(pool.snapshot.failures == 0)
    }
  }
}
