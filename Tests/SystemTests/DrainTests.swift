import LoopIO
import TestSupport
import Testing

/// BR-42: a stop loses nothing, repeats nothing that was answered, and ends in time.
@Suite struct DrainTests {
  private static let hang = "[{\"match\":{\"provider\":\"apns\"},\"action\":\"hang\"}]"

  private static func token(_ number: Int) -> String {
    let digits = String(number)
    return "b" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"d\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }

  private static func worker(
    on loop: Loop, _ simulator: RunningSimulator, _ server: RedisServer, _ settings: String...
  ) throws -> RunningWorker {
    try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
      settings: settings)
  }

  /// Another worker, as after a deployment: what is left is delivered, and nothing remains.
  private static func deliverTheRest(
    on loop: Loop, _ simulator: RunningSimulator, _ server: RedisServer, events: Int
  ) async throws {
    let queue = try await TestQueue(on: loop, server.url)
    let next = try worker(on: loop, simulator, server)
    let isDelivered = await eventually(on: loop) {
      let isDrained = await queue.isDrained()
      let accepted = simulator.accepted()
      return isDrained && (0..<events).allSatisfy { accepted[token($0)] != nil }
    }
    #expect(isDelivered, "some events are not delivered after the stop")
    #expect(await next.stop() == ExitStatus())
    #expect(await queue.leftovers() == [])
  }

  // MARK: While idle

  /// Fifty processes with ten instances each, every one of them in its blocking look.
  @Test(.redis, .timeLimit(.minutes(5)))
  func `BR-42 events pushed at the moment of 500 stops are all delivered, once`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      var random = SeededRandom.fresh()
      print("stop test: seed \(random.seed)")
      var pushed = 0
      for _ in 0..<50 {
        let worker = try Self.worker(
          on: loop, simulator, server, "ALLIM_THREADS=10", "ALLIM_WORKERS=10")
        let joined = await eventually(on: loop) { await queue.instances().count == 10 }
        try #require(joined, "the worker did not start")
        let events = (pushed..<pushed + 10).map(Self.event)
        pushed += 10
        if Bool.random(using: &random) {
          worker.signal(15)
          try await queue.push(events)
        } else {
          try await queue.push(events)
          try await loop.sleep(.microseconds(Int64.random(in: 0...3_000, using: &random)))
          worker.signal(15)
        }
        #expect(await worker.waitForExit() == ExitStatus())
      }
      try await Self.deliverTheRest(on: loop, simulator, server, events: pushed)
      #expect(simulator.accepted().values.allSatisfy { $0 == 1 })
      await simulator.stop()
    }
  }

  // MARK: While sending

  @Test(.redis) func `BR-42 a stop waits for 400 answers that come late, and sends none again`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "2000"])
      try await queue.push((0..<400).map(Self.event))
      // One provider has at most three quarters of the lanes; and where the rate is limited no more
      // are begun than may start.
      let worker = try Self.worker(
        on: loop, simulator, server, "ALLIM_WORKERS=600",
        "ALLIM_APPS_CHAT_APNS_CONNECTIONS_REQUESTS_PER_SECOND=0")
      #expect(await eventually(on: loop) { await queue.held() == 400 })
      #expect(await worker.stop() == ExitStatus())
      #expect(simulator.accepted().count == 400)
      #expect(simulator.accepted().values.allSatisfy { $0 == 1 })
      #expect(await queue.waiting() == 0)
      #expect(await queue.leftovers() == [])
      await simulator.stop()
    }
  }

  @Test(.redis)
  func `BR-42 pushes that get no answer do not hold up a stop, and are delivered by the next`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, rules: Self.hang)
      try await queue.push((0..<50).map(Self.event))
      let worker = try Self.worker(on: loop, simulator, server, "ALLIM_SHUTDOWN_GRACE=500ms")
      #expect(await eventually(on: loop) { await queue.held() == 50 })
      let begin = ContinuousClock.now
      #expect(await worker.stop() == ExitStatus())
      #expect(ContinuousClock.now - begin < .seconds(14))
      #expect(await queue.held() == 0)
      #expect(await queue.waiting() == 50)
      await simulator.stop()
      let next = try await RunningSimulator(on: loop)
      try await Self.deliverTheRest(on: loop, next, server, events: 50)
      await next.stop()
    }
  }

  @Test(.redis) func `BR-42 a second TERM hands back at once what gets no answer`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, rules: Self.hang)
      try await queue.push((0..<50).map(Self.event))
      let worker = try Self.worker(on: loop, simulator, server)
      #expect(await eventually(on: loop) { await queue.held() == 50 })
      let begin = ContinuousClock.now
      worker.signal(15)
      worker.signal(2)
      #expect(await worker.waitForExit() == ExitStatus())
      // The grace of 25 s is not used up.
      #expect(ContinuousClock.now - begin < .seconds(20))
      #expect(await queue.waiting() == 50)
      await simulator.stop()
      let next = try await RunningSimulator(on: loop)
      try await Self.deliverTheRest(on: loop, next, server, events: 50)
      await next.stop()
    }
  }

  @Test(.redis, .timeLimit(.minutes(3)))
  func `BR-42 SIGKILL during a stop loses nothing and repeats what was in flight at most`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "400"])
      try await queue.push((0..<200).map(Self.event))
      let worker = try Self.worker(on: loop, simulator, server, "ALLIM_WORKERS=32")
      #expect(await eventually(on: loop) { simulator.accepted().count >= 32 })
      worker.signal(15)
      try await loop.sleep(.milliseconds(200))
      await worker.kill()
      try await Self.deliverTheRest(on: loop, simulator, server, events: 200)
      let repeats = simulator.accepted().values.reduce(0, +) - 200
      // On the wire, or answered and not yet written.
      #expect(repeats <= 64)
      await simulator.stop()
    }
  }

  // MARK: What waits elsewhere

  @Test(.redis) func `BR-42 a stop leaves the moments of retries as they are`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let rules =
        "[{\"match\":{\"provider\":\"apns\"},"
        + "\"respond\":{\"status\":503,\"reason\":\"Shutdown\",\"retryAfter\":600}}]"
      let simulator = try await RunningSimulator(on: loop, rules: rules)
      try await queue.push((0..<900).map(Self.event))
      // Else a row of 503 opens the breaker, and what comes after is parked.
      let worker = try Self.worker(
        on: loop, simulator, server, "ALLIM_BREAKER_OPEN_AFTER=1000")
      #expect(await eventually(on: loop) { await queue.retries().count == 900 })
      let before = await queue.retries()
      #expect(await worker.stop() == ExitStatus())
      let after = await queue.retries()
      #expect(before == after)
      await simulator.stop()
    }
  }

  @Test(.redis("--appendonly", "yes"))
  func `BR-42 a stop ends in time while Redis is away, and the events are there afterwards`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, rules: Self.hang)
      try await queue.push((0..<50).map(Self.event))
      let worker = try Self.worker(on: loop, simulator, server, "ALLIM_SHUTDOWN_GRACE=500ms")
      #expect(await eventually(on: loop) { await queue.held() == 50 })
      await server.kill()
      let begin = ContinuousClock.now
      #expect(await worker.stop() == ExitStatus())
      #expect(ContinuousClock.now - begin < .seconds(20))
      try await server.start()
      await simulator.stop()
      let next = try await RunningSimulator(on: loop)
      try await Self.deliverTheRest(on: loop, next, server, events: 50)
      await next.stop()
    }
  }
}
