import LoopIO
import TestSupport
import Testing

/// BR-45: connections that are cut again and again leave nothing behind.
@Suite struct CutConnectionTests {
  private static let rounds = 60

  private static func token(_ number: Int) -> String {
    "f" + String(repeating: "0", count: 58) + String(200_000 + number).suffix(5)
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"k\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }

  @Test(.redis, .timeLimit(.minutes(3)))
  func `BR-45 Redis cuts all connections in each round, GOAWAY ends those to APNs`() async throws {
    let server = try redis()
    try await onLoop { loop in try await cutAgainAndAgain(server, on: loop) }
  }

  private func cutAgainAndAgain(_ server: RedisServer, on loop: Loop) async throws {
    let allim = AllimCommand(server)
    let simulator = try await RunningSimulator(
      on: loop, rules: #"[{"match":{"provider":"apns","every":7},"action":"goaway"}]"#)
    let worker = try RunningWorker(
      listenedTo: loop,
      ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
      settings: PushChain.quickRetries)
    #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
    var limit = Int.max
    for round in 0..<Self.rounds {
      _ = try await allim.redis(["RPUSH", "push:messages", Self.event(round)])
      _ = try await allim.redis(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
      let came = await eventually(on: loop) { simulator.accepted()[Self.token(round)] != nil }
      #expect(came, "round \(round)")
      guard came, round % 20 == 19 else { continue }
      let most = limit
      let isSlim = await eventually(on: loop) { worker.descriptors() <= most }
      #expect(isSlim, "round \(round): more than \(limit)")
      limit = min(limit, worker.descriptors() + 3)
    }
    #expect(await worker.stop() == ExitStatus())
    await simulator.stop()
  }
}
