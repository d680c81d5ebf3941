import LoopIO
import TestSupport
import Testing

/// BR-42: a stop loses nothing, repeats nothing that was answered, and ends in time.
@Suite(.redis) struct DrainTests {
  private static func event(_ number: Int) -> String {
    let digits = String(number)
    let token = "b" + String(repeating: "0", count: 63 - digits.count) + digits
    return "{\"id\":\"d\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token)\"}]}"
  }

  @Test func `BR-42 pushes that get no answer do not hold up a stop, and stay in Redis`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let rules = TemporaryFolder()
      write(
        Array("[{\"match\":{\"provider\":\"apns\"},\"action\":\"hang\"}]".utf8),
        to: rules.file("rules.json"))
      let simulator = try await RunningSimulator(on: loop, ["--rules", rules.file("rules.json")])
      try await queue.push((0..<50).map(Self.event))
      let worker = try RunningWorker(
        on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
        settings: ["ALLIM_SHUTDOWN_GRACE=500ms"])
      #expect(await eventually(on: loop) { await queue.held() == 50 })
      let begin = ContinuousClock.now
      #expect(await worker.stop() == ExitStatus())
      #expect(ContinuousClock.now - begin < .seconds(14))
      #expect(await queue.held() == 0)
      #expect(await queue.waiting() == 50)
      await simulator.stop()
    }
  }
}
