import LoopIO
import RedisClient
import TestSupport
import Testing

/// Twenty workers killed at random moments over 2,000 numbered events: none lost, and repeats only
/// of what was on the wire or not yet written at a kill.
@Suite(.redis("--appendonly", "yes")) struct KillTests {
  private static let events = 2_000
  private static let kills = 20
  private static let lanes = 32
  /// At a kill as many requests may be on the wire as there are lanes, one batch of results may be
  /// on its way to Redis and another may be gathered.
  private static let repeatsPerKill = lanes + 2 * 64

  @Test(.timeLimit(.minutes(3))) func `BR-32 SIGKILL loses nothing`() async throws {
    let server = try redis()
    let random = SeededRandom.fresh()
    print("kill test: seed \(random.seed)")
    try await onLoop { [random] loop in
      var random = random
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "20"])
      try await queue.push((0..<Self.events).map(Self.event))
      for _ in 0..<Self.kills {
        let worker = try self.worker(on: loop, simulator, server)
        let before = simulator.accepted().count
        // Killed while it sends: some time after its first push, or when nothing is ready for it.
        _ = await eventually(within: .seconds(2), on: loop) {
          simulator.accepted().count > before
        }
        try await loop.sleep(.milliseconds(Int64.random(in: 0...80, using: &random)))
        await worker.kill()
      }
      let last = try worker(on: loop, simulator, server)
      let killed = ContinuousClock.now
      // One more, so that it has work whatever the killed ones left.
      try await queue.push([Self.event(Self.events)])
      #expect(
        await eventually(within: .seconds(90), on: loop) {
          await queue.isDrained() && simulator.accepted()[Self.token(Self.events)] != nil
        })
      print("kill test: drained \(ContinuousClock.now - killed) after the last kill")
      let ending = await last.stop()
      #expect(ending == ExitStatus())
      let accepted = simulator.accepted()
      let lost = (0...Self.events).filter { accepted[Self.token($0)] == nil }
      let repeats = accepted.values.reduce(0, +) - accepted.count
      print("kill test: \(accepted.count) delivered, \(lost.count) lost, \(repeats) repeated")
      #expect(lost.isEmpty)
      #expect(repeats <= Self.kills * Self.repeatsPerKill)
      #expect(await queue.leftovers() == [])
      await simulator.stop()
    }
  }

  private func worker(
    on loop: Loop, _ simulator: RunningSimulator, _ server: RedisServer
  ) throws -> RunningWorker {
    try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
      settings: ["ALLIM_WORKERS=\(Self.lanes)"])
  }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    // Not of the simulator's ready-made tokens, which begin with 0.
    return "a" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"e\(number)\",\"type\":\"message\",\"room\":{\"id\":\(number),\"name\":\"Team\"},"
      + "\"message\":{\"id\":\(number),\"text\":\"hello\"},"
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }
}
