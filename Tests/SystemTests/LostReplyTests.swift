import LoopIO
import TestSupport
import Testing

/// BR-32: an item that leaves the list is never in the worker's memory alone.
@Suite struct LostReplyTests {
  private static let events = 200

  private static func token(_ number: Int) -> String {
    let digits = String(number)
    return "c" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"handed-out-\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }

  private static func isComplete(_ accepted: [String: Int]) -> Bool {
    (0..<events).allSatisfy { accepted[token($0)] != nil }
  }

  @Test(.redis, .timeLimit(.minutes(3)))
  func `BR-32 events whose handing out was lost on the way are sent, and once`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      // Only the answer of a take has one event behind another: a peek shows one alone.
      let second = Self.event(1)
      let relay = try LossyRelay(
        on: loop, to: .unix(path: server.socket),
        losingFrom: "}\r\n$\(second.utf8.count)\r\n\(second)")
      let worker = try RunningWorker(
        on: loop, configuration: simulator.configuration, redis: relay.url)
      #expect(await eventually(on: loop) { await queue.instances().count == 1 })
      try await queue.push((0..<Self.events).map(Self.event))
      #expect(await eventually(on: loop) { relay.isLosing })
      // The list has given them away, and the worker has not heard of it.
      #expect(await eventually(on: loop) { await queue.held() > 0 })
      #expect(simulator.accepted().isEmpty)
      // Longer than a worker waits for an answer, shorter than its lease.
      try await loop.sleep(.seconds(7))
      relay.heal()
      #expect(
        await eventually(on: loop) {
          let isDrained = await queue.isDrained()
          return isDrained && Self.isComplete(simulator.accepted())
        })
      #expect(simulator.accepted().values.allSatisfy { $0 == 1 })
      #expect(await worker.stop() == ExitStatus())
      #expect(await queue.leftovers() == [])
      relay.stop()
      await simulator.stop()
    }
  }

  @Test(
    .redis("--appendonly", "yes", "--appendfsync", "always"), .timeLimit(.minutes(3)))
  func `BR-32 Redis killed under way costs neither an event nor a second push`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let simulator = try await RunningSimulator(on: loop, ["--latency", "30"])
      try await TestQueue(on: loop, server.url).push((0..<Self.events).map(Self.event))
      let worker = try RunningWorker(
        on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
        settings: ["ALLIM_WORKERS=4"])
      for _ in 0..<5 {
        let before = simulator.accepted().count
        _ = await eventually(within: .seconds(20), on: loop) {
          simulator.accepted().count > before + 5
        }
        await server.kill()
        try await server.start()
      }
      // The connection of before the kills is gone.
      let queue = try await TestQueue(on: loop, server.url)
      #expect(
        await eventually(on: loop) {
          let isDrained = await queue.isDrained()
          return isDrained && Self.isComplete(simulator.accepted())
        })
      #expect(simulator.accepted().values.allSatisfy { $0 == 1 })
      #expect(await worker.stop() == ExitStatus())
      #expect(await queue.leftovers() == [])
      await simulator.stop()
    }
  }
}
