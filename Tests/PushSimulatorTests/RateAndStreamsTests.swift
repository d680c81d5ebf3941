import HTTP2
import LoopIO
import Testing

@testable import PushSimulator

@Suite struct RateAndStreamsTests {
  @Test func `the largest second is found wherever it begins`() {
    var window = RateWindow()
    // 60 at 0.9 s and 60 at 1.8 s are in one second, though no whole second has more than 60.
    for _ in 0..<60 { _ = window.note(at: 900_000_000) }
    for _ in 0..<60 { _ = window.note(at: 1_800_000_000) }
    #expect(window.largest == 120)
    // Exactly one second later the first ones have left.
    #expect(window.note(at: 1_900_000_000) == 61)
    #expect(window.largest == 120)
  }

  @Test func `a long run keeps only the moments of one second`() {
    var window = RateWindow()
    for number in 0..<100_000 { _ = window.note(at: Int64(number) * 10_000_000) }
    #expect(window.largest == 100)
    #expect(window.current == 100)
  }

  @Test func `strict connections have one stream until a push is accepted and after a rejection`() {
    var streams = StreamAllowance(full: 1_000, isStrict: true)
    #expect(streams.announced == 1)
    #expect(streams.answered(status: 403) == nil)
    #expect(streams.answered(status: 200) == 1_000)
    #expect(streams.answered(status: 200) == nil)
    #expect(streams.answered(status: 410) == nil)
    #expect(streams.answered(status: 400) == 1)
    #expect(streams.answered(status: 200) == 1_000)
  }

  @Test func `strict streams hold on the wire, and the worker's pool obeys them`() async throws {
    try await SimulatorBench.run {
      $0.strictStreams = true
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns) { $0.firstRequestAlone = true }
      var push = Push()
      push.bearer = try bench.jwt()
      for _ in 0..<3 { #expect(try await bench.send(push, through: pool).status == 200) }
      #expect(try await bench.connections()["connections.0.maxConcurrentStreams"] == "1000")
      push.token = "0400aa"
      #expect(try await bench.send(push, through: pool).status == 400)
      let text = try await bench.connections()
      #expect(text["connections.0.maxConcurrentStreams"] == "1")
      #expect(text["connections.0.streamsHighWater"] == "1")
    }
  }

  @Test func `beyond a hundred in a second a connection is answered 429 when asked`()
    async throws
  {
    try await SimulatorBench.run {
      $0.enforceRate = true
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      var statuses: [Int: Int] = [:]
      var refusals: Set<String> = []
      for _ in 0..<130 {
        let answer = try await bench.send(push, through: pool)
        statuses[answer.status, default: 0] += 1
        if answer.status != 200 { refusals.insert(answer.reason) }
      }
      let text = try await bench.connections()
      let largest = try #require(text["connections.0.largestInAnySecond"].flatMap { Int($0) })
      #expect(statuses[429, default: 0] == Int(text["connections.0.overRate"] ?? ""))
      // A slow machine may need more than a second for them.
      if largest > 100 { #expect(refusals == ["TooManyRequests"]) }
    }
  }
}
