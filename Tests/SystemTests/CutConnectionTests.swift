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
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let simulator = try await RunningSimulator(
        on: loop, rules: #"[{"match":{"provider":"apns","every":7},"action":"goaway"}]"#)
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_LOG_LEVEL=info"] + PushChain.quickRetries)
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      var first: Int?
      for round in 0..<Self.rounds {
        _ = try await allim.redis(["RPUSH", "push:messages", Self.event(round)])
        _ = try await allim.redis(["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"])
        let came = await eventually(on: loop) { simulator.accepted()[Self.token(round)] != nil }
        try #require(came, "round \(round): \(worker.lines.suffix(4))")
        guard round % 20 == 19 else { continue }
        let limit = (first ?? worker.descriptors()) + 3
        first = first ?? worker.descriptors()
        let isSlim = await eventually(on: loop) { worker.descriptors() <= limit }
        #expect(isSlim, "round \(round): \(worker.descriptors()), at first \(first ?? 0)")
      }
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }
}
