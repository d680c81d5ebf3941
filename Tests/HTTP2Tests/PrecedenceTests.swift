import LoopIO
import TestSupport
import Testing

@testable import HTTP2

private final class FillLog {
  var filled: [Int] = []
  var ended: [Int] = []
}

private final class Numbered: PoolRequest {
  private let number: Int
  private let hasMessage: Bool
  private let log: FillLog

  init(_ headers: HeaderBlock, _ number: Int, _ hasMessage: Bool, _ log: FillLog) {
    (self.number, self.hasMessage, self.log) = (number, hasMessage, log)
    super.init(headers)
  }

  override func fill(at now: Int64) -> Bool {
    log.filled.append(number)
    return hasMessage
  }

  override func ended() { log.ended.append(number) }
}

@Suite struct PrecedenceTests {
  @Test func `of those that wait the lower precedence goes first, and in order among equals`()
    async throws
  {
    let single: PoolChange = { $0.maxStreams = 1 }
    try await withPool([single]) { loop, server, pool in
      server.onRequest = { _, _ in }
      let shared = OnTheLoop(pool)
      let order: [UInt8] = [0, 2, 1, 0, 7, 2, 1, 0]
      let all = Task(executorPreference: loop) {
        await withTaskGroup(of: Void.self) { group in
          for (place, precedence) in order.enumerated() {
            group.addTask(executorPreference: loop) {
              let body = Array("\(precedence)\(place)".utf8)
              _ = await shared.value.send(request("/x"), body: body, precedence: precedence)
            }
            // One after the other, so that their places are known.
            _ = await eventually(on: loop) {
              shared.value.snapshot.waiting + shared.value.snapshot.streamsInUse == place + 1
            }
          }
        }
      }
      #expect(await eventually(on: loop) { pool.snapshot.waiting == 7 })
      #expect(await eventually(on: loop) { server.requests == 1 })
      let connection = server.connections[0]
      server.onRequest = { $0.answer($1) }
      connection.answer(1)
      await all.value
      let bodies = connection.requests.map {
        String(decoding: connection.bodies[$0] ?? [], as: UTF8.self)
      }
      #expect(bodies == ["00", "03", "07", "12", "16", "21", "25", "74"])
    }
  }

  @Test func `a request is filled when it has its place, and one with nothing to send takes none`()
    async throws
  {
    let single: PoolChange = { $0.maxStreams = 1 }
    try await withPool([single]) { loop, server, pool in
      server.onRequest = { _, _ in }
      let log = FillLog()
      for number in 0..<6 {
        // The second and the last have nothing to send any more.
        pool.send(Numbered(request("/x"), number, number % 4 != 1, log))
      }
      #expect(await eventually(on: loop) { server.requests == 1 })
      #expect(log.filled == [0] && log.ended.isEmpty && pool.snapshot.waiting == 5)
      server.onRequest = { $0.answer($1) }
      server.connections[0].answer(1)
      #expect(await eventually(on: loop) { log.ended == [0, 2, 3, 4] })
      #expect(log.filled == [0, 1, 2, 3, 4, 5])
      #expect(server.requests == 4 && pool.snapshot.waiting == 0)
    }
  }

  @Test func `with a rate limit little waits, and who is told of room needs no answer to go on`()
    async throws
  {
    let paced: PoolChange = { ($0.requestsPerSecond, $0.maxConnections) = (100, 1) }
    try await withPool([paced]) { loop, server, pool in
      server.onRequest = { _, _ in }
      #expect(pool.depth == 16 && pool.room == 16)
      let log = FillLog()
      var sent = 0
      func fill() {
        while pool.room > 0, sent < 150 {
          pool.send(Numbered(request("/x"), sent, true, log))
          sent += 1
        }
      }
      pool.onRoom = fill
      fill()
      #expect(sent == 16 && pool.room == 0)
      // A hundred at once and the others at the pace, while no answer comes.
      #expect(await eventually(on: loop) { server.requests == 150 })
      #expect(log.filled == Array(0..<150) && log.ended.isEmpty)
      #expect(pool.snapshot.largestStartsInAnySecond == 100)
    }
  }

  @Test func `what waits too long is given back whatever its precedence`() {
    func request(_ precedence: UInt8, _ since: Int64) -> PoolRequest {
      let request = PoolRequest(HeaderBlock())
      (request.precedence, request.since) = (precedence, since)
      return request
    }
    var waiting = WaitingRequests()
    #expect(waiting.oldest == .max)
    for (precedence, since) in [(0, 30), (0, 40), (1, 10), (3, 20), (9, 25)] as [(UInt8, Int64)] {
      waiting.append(request(precedence, since))
    }
    #expect(waiting.oldest == 10)
    var given: [Int64] = []
    while let late = waiting.popFirst(since: 25) { given.append(late.since) }
    #expect(given == [10, 20, 25])
    #expect(waiting.count == 2)
    waiting.prepend(request(0, 50))
    #expect([waiting.popFirst()?.since, waiting.popFirst()?.since] == [50, 30])
  }
}
