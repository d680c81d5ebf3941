import LoopIO
import TestSupport
import Testing

@testable import HTTP2

/// A peer that says ENHANCE_YOUR_CALM gets less of everything.
@Suite struct CalmTests {
  @Test func `GOAWAY with ENHANCE_YOUR_CALM costs a pause, and PINGs become rarer`() async throws {
    try await withPool { loop, server, pool in
      server.onRequest = { connection, id in
        connection.answer(id)
        if id == 5 && server.connections.count == 1 { connection.goAway(last: id, code: 11) }
      }
      for _ in 0..<3 { #expect(await sendOne(pool).status == 200) }
      #expect(await eventually(on: loop) { pool.snapshot.events.goAway == 1 })
      let begin = ContinuousClock.now
      #expect(await sendOne(pool).status == 200)
      #expect(ContinuousClock.now - begin >= .milliseconds(900))
      #expect(pool.pings.idle == 120_000_000_000)
      #expect(pool.pings.silence == 10_000_000_000)
    }
  }

  @Test func `RST with ENHANCE_YOUR_CALM lowers what is open at once`() async throws {
    try await withPool { loop, server, pool in
      server.onConnection = { $0.settings(streams: 1_000) }
      server.onRequest = { connection, id in
        guard connection.requests.count == 20 else { return }
        for id in connection.openStreams { connection.reset(id, code: 11) }
        server.onRequest = { $0.answer($1) }
      }
      let accepted = await sendMany(20, each: 2, through: pool, on: loop)
      #expect(accepted == 20)
      #expect(pool.pings.idle.map { $0 > 60_000_000_000 } == true)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `PINGs never become rarer than one in ten minutes`() {
    var limits = Liveness.Limits(idle: nil, silence: 5, answer: 5)
    for _ in 0..<100 { limits.grow() }
    #expect(limits.idle == nil && limits.silence < 600_000_000_001)
    limits = Liveness.Limits(idle: 3_600_000_000_000, silence: 1, answer: 5)
    limits.grow()
    #expect(limits.idle == 3_600_000_000_000)
  }

  @Test func `a session whose stream ids have ended takes no more`() {
    let session = ClientSession(keptHeaders: [], firstStream: .max - 2)
    let request = PoolRequest(request("/x"))
    request.body = [1]
    #expect(session.start(request, deadline: .max))
    #expect(session.start(request, deadline: .max))
    #expect(!session.start(request, deadline: .max))
    #expect(session.open.map(\.id) == [.max - 2, .max])
    session.connectionLost(RequestTrouble(.closed))
    session.takeEnded { _, _ in }
  }

  @Test func `what comes of a frame after its request was given up is no answer to the next`() {
    let session = ClientSession(keptHeaders: [])
    var output: [UInt8] = []
    #expect(session.start(PoolRequest(request("/x")), deadline: .max))
    #expect(session.fill(&output))
    // SETTINGS, and HEADERS of stream 1 but for its last byte, which says `:status: 200`.
    let settings: [UInt8] = [0, 0, 0, 4, 0, 0, 0, 0, 0]
    let headers: [UInt8] = [0, 0, 1, 1, 5, 0, 0, 0, 1]
    let first = settings + headers
    var isTaken = session.receive(first.span)
    session.cancel(session.open[0], RequestTrouble(.timeout))
    session.takeEnded { _, outcome in
      if case .unknown = outcome { return }
      Issue.record("\(outcome)")
    }
    let rest: [UInt8] = [0x88]
    isTaken = session.receive(rest.span) && isTaken
    #expect(isTaken)
    #expect(session.fill(&output))
    #expect(session.start(PoolRequest(request("/y")), deadline: .max))
    #expect(session.fill(&output))
    session.connectionLost(RequestTrouble(.closed))
    session.takeEnded { _, outcome in
      if case .unknown = outcome { return }
      Issue.record("\(outcome)")
    }
  }
}
