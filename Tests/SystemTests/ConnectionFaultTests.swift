import LoopIO
import TestSupport
import Testing

/// Reported faults of senders' connections, against the real worker and a real Redis.
@Suite struct ConnectionFaultTests {
  @Test func `BR-13 after GOAWAY, also twice and as first frame, nothing is lost or late`()
    async throws
  {
    try await onRedisLoop { loop, redis in
      let stage = try await ScriptedStage(on: loop, redis)
      var goneAt: [Int: UInt32] = [:]
      var goneSince: [Int: ContinuousClock.Instant] = [:]
      var late = 0
      var times: [ContinuousClock.Instant] = []
      let server = stage.server
      server.onConnection = { [unowned server] connection in
        connection.settings(streams: 1_000)
        if server.connections.count == 4 {
          goneAt[3] = 0
          connection.goAway(last: 0)
        }
      }
      server.onRequest = { [unowned server, unowned stage] connection, id in
        let place = server.connections.firstIndex { $0 === connection } ?? 0
        // What stands above the GOAWAY's id is not worked on.
        if let last = goneAt[place], id > last {
          // A round trip's worth of requests may cross the GOAWAY on the way.
          if let since = goneSince[place], .now - since > .seconds(5) { late += 1 }
          return
        }
        stage.accept(connection, id)
        times.append(.now)
        guard place < 3, connection.requests.count == 10 else { return }
        (goneAt[place], goneSince[place]) = (id, .now)
        for _ in 0..<(place == 2 ? 2 : 1) { connection.goAway(last: id) }
      }
      for number in 0..<80 {
        try await stage.push(number..<number + 1)
        try await loop.sleep(.milliseconds(50))
      }
      await stage.expectAllAccepted(80)
      #expect(stage.accepted.values.allSatisfy { $0 == 1 })
      #expect(server.connections.count >= 5)
      for connection in server.connections.prefix(4) {
        #expect(await eventually(within: .seconds(10), on: loop) { connection.isClosed })
      }
      #expect(late == 0)
      // Two seconds are the report's bound; a machine under load gets a few more.
      let gaps = zip(times, times.dropFirst()).map { $1 - $0 }
      #expect(gaps.max() ?? .zero < .seconds(8))
      await stage.stop()
    }
  }

  @Test func `BR-15 a limit of streams that falls to one at each refusal costs nothing`()
    async throws
  {
    try await onRedisLoop { loop, redis in
      let stage = try await ScriptedStage(
        on: loop, redis, settings: ["ALLIM_APPS_CHAT_APNS_CONNECTIONS_MAX=1"])
      let server = stage.server
      var isCut = false
      var refused: [Int: Int] = [:]
      var resets = 0
      var widest: [Int] = [0]
      var waiting: [(ScriptedConnection, UInt32)] = []
      server.onConnection = { $0.settings(streams: 1_000) }
      server.onRequest = { connection, id in waiting.append((connection, id)) }
      let ticks = LoopTicks(on: loop, every: .milliseconds(20)) { [unowned stage] in
        let batch = waiting
        waiting.removeAll()
        widest[widest.count - 1] = max(widest[widest.count - 1], batch.count)
        for (place, (connection, id)) in batch.enumerated() {
          let number = stage.number(connection, id)
          if isCut && place > 0 {
            resets += 1
            connection.reset(id, code: 7)
          } else if number % 40 == 39 {
            refused[number, default: 0] += 1
            connection.answer(id, status: 400, body: #"{"reason":"BadDeviceToken"}"#)
            connection.settings(streams: 1)
            isCut = true
          } else {
            stage.accept(connection, id)
            if isCut {
              connection.settings(streams: 1_000)
              widest.append(0)
            }
            isCut = false
          }
        }
      }
      let begin = ContinuousClock.now
      try await stage.push(0..<400)
      await stage.expectAllAccepted(390, besides: [":invalid"])
      // A hundred at once, then a hundred a second.
      #expect(ContinuousClock.now - begin < .seconds(40))
      #expect(stage.accepted.values.allSatisfy { $0 == 1 })
      #expect(refused.count == 10 && refused.values.allSatisfy { $0 == 1 })
      #expect(await stage.queue.list("invalid").count == 10)
      #expect(resets > 0)
      #expect(widest.filter { $0 > 1 }.count * 2 > widest.count, "\(widest)")
      ticks.stop()
      await stage.stop()
    }
  }

  @Test func `BR-17 a connection that a firewall forgot is found and replaced`() async throws {
    try await onRedisLoop { loop, redis in
      let stage = try await ScriptedStage(
        on: loop, redis, passesRelay: true, settings: ["ALLIM_PING_APNS=1s"])
      let server = stage.server
      server.onRequest = { [unowned stage] in stage.accept($0, $1) }
      try await stage.push(0..<1)
      await stage.expectAllAccepted(1)
      let first = server.connections[0]
      let begin = ContinuousClock.now
      #expect(await eventually(on: loop) { first.frames.filter { $0.kind == .ping }.count >= 2 })
      #expect(ContinuousClock.now - begin >= .seconds(1))
      stage.relay.blackHole()
      try await stage.push(1..<21)
      let lost = ContinuousClock.now
      await stage.expectAllAccepted(21)
      #expect(ContinuousClock.now - lost < .seconds(60))
      #expect(stage.accepted.values.allSatisfy { $0 == 1 })
      #expect(server.connections.count >= 2)
      await stage.stop()
    }
  }
}

/// Calls a body again and again on the loop.
private final class LoopTicks {
  private var timer: LoopTimer?

  init(on loop: Loop, every pause: Duration, _ body: @escaping () -> Void) {
    timer = LoopTimer(on: loop) { [unowned self] in
      body()
      timer?.arm(after: pause)
    }
    timer?.arm(after: pause)
  }

  func stop() { timer?.cancel() }
}
