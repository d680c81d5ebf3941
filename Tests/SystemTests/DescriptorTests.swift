import LoopIO
import TestSupport
import Testing

/// BR-45: a failed connection leaves nothing behind, and few descriptors are enough.
@Suite struct DescriptorTests {
  private static func event(_ number: Int) -> String {
    let token = "f" + String(repeating: "0", count: 58) + String(100_000 + number).suffix(5)
    return "{\"id\":\"l\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token)\"}]}"
  }

  @Test(.redis) func `BR-45 sixteen workers do with 64 descriptors`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "5"])
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_WORKERS=16", "ALLIM_APPS_CHAT_APNS_CONNECTIONS_MAX=100"],
        wrapping: "ulimit -n 64; ")
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      try await queue.push((0..<1_000).map(Self.event))
      #expect(await eventually(on: loop) { await queue.isDrained() })
      let accepted = simulator.accepted()
      #expect(accepted.count == 1_000 && accepted.values.allSatisfy { $0 == 1 })
      #expect(worker.descriptors() < 64)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }
}
