import LoopIO
import RedisClient
import TestSupport
import Testing

/// Several lists, and events of many devices, with real processes.
@Suite(.redis("--appendonly", "yes"), .serialized) struct LargeEventTests {
  private static let devices = 3_000
  private static let lanes = 32
  /// As many may be on the wire as there are lanes; a batch of results is on its way to Redis and
  /// another is gathered.
  private static let repeatsPerKill = lanes + 2 * 64

  @Test(.timeLimit(.minutes(3)))
  func `a worker killed while it splits or sends a large event loses no device`() async throws {
    let server = try redis()
    let random = SeededRandom.fresh()
    print("large events: seed \(random.seed)")
    try await onLoop { [random] loop in
      var random = random
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "5"])
      let configuration = try Self.configuration(
        simulator, "queues: [{name: \"push:messages\", lease: 2s}]")
      let kills = 3
      let event = Self.event("large", (0..<Self.devices).map(Self.token))
      try await queue.push([event])
      for round in 0..<kills {
        let worker = try Self.worker(on: loop, configuration, server)
        // The first while it splits or has just done so, the others while chunks are sent.
        _ = await eventually(within: .seconds(20), on: loop) {
          round == 0 ? await queue.held() > 0 : simulator.accepted().count > round * 400
        }
        try await loop.sleep(.milliseconds(Int64.random(in: 0...60, using: &random)))
        await worker.kill()
      }
      let last = try Self.worker(on: loop, configuration, server)
      #expect(
        await eventually(within: .seconds(90), on: loop) {
          await queue.isDrained() && simulator.accepted().count == Self.devices
        })
      #expect(await last.stop() == ExitStatus())
      let accepted = simulator.accepted()
      let repeats = accepted.values.reduce(0, +) - accepted.count
      print("large events: \(accepted.count) devices, \(repeats) repeated at \(kills) kills")
      #expect(repeats <= kills * Self.repeatsPerKill)
      #expect(await queue.letters().isEmpty)
      await simulator.stop()
    }
  }

  @Test(.timeLimit(.minutes(2))) func `calls overtake a full list of bulk`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "20"])
      let configuration = try Self.configuration(
        simulator,
        "queues: [{name: \"push:messages\", weight: 8}, {name: \"push:bulk\", weight: 1}]")
      try await queue.push(
        (0..<1_000).map { Self.event("b\($0)", [Self.token($0)]) }, to: "push:bulk")
      let worker = try Self.worker(on: loop, configuration, server, lanes: 8)
      #expect(await eventually(on: loop) { simulator.accepted().count > 50 })
      try await queue.push((0..<40).map { Self.event("c\($0)", [Self.token(10_000 + $0)]) })
      let calls = Set((0..<40).map { Self.token(10_000 + $0) })
      #expect(
        await eventually(on: loop) { calls.isSubset(of: simulator.accepted().keys) })
      // Most of bulk is still to come, and some of it went meanwhile.
      let bulk = simulator.accepted().count - 40
      #expect(bulk < 700, "\(bulk) of bulk before the last call")
      #expect(
        await eventually(on: loop) { simulator.accepted().count == 1_040 })
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  /// The simulator's configuration with more keys.
  private static func configuration(
    _ simulator: RunningSimulator, _ more: String
  ) throws -> String {
    let path = simulator.configuration
    let text = String(decoding: try #require(read(path)), as: UTF8.self)
    write(Array((text + "\n" + more + "\n").utf8), to: path)
    return path
  }

  private static func worker(
    on loop: Loop, _ configuration: String, _ server: RedisServer, lanes: Int = lanes
  ) throws -> RunningWorker {
    try RunningWorker(
      on: loop, configuration: configuration, redis: "unix://\(server.socket)",
      settings: ["ALLIM_WORKERS=\(lanes)"])
  }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    // Not of the simulator's ready-made tokens, which begin with 0.
    return "a" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ id: String, _ tokens: [String]) -> String {
    let devices = tokens.map { "{\"platform\":\"ios\",\"token\":\"\($0)\"}" }
    return "{\"id\":\"\(id)\",\"type\":\"message\",\"room\":{\"id\":1,\"name\":\"Team\"},"
      + "\"message\":{\"id\":1,\"text\":\"hello\"},\"devices\":[\(devices.joined(separator: ","))]}"
  }
}
