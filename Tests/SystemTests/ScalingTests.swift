import LoopIO
import TestSupport
import Testing

/// The number of worker tasks changes while they work.
@Suite struct ScalingTests {
  private static func token(_ number: Int) -> String {
    "e" + String(repeating: "0", count: 58) + String(100_000 + number).suffix(5)
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"s\(number)\",\"type\":\"notice\",\"title\":\"t\",\"body\":\"b\","
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }

  /// Worker tasks of all live instances, as `allim workers` shows them.
  private func capacity(_ allim: AllimCommand) async throws -> Int64 {
    let listed = try await allim("workers", "--json")
    let workers = JSONView(listed.text.utf8)?["workers"]?.elements ?? []
    return workers.reduce(0) { $0 + ($1["capacity"]?.integer ?? 0) }
  }

  @Test(.redis) func `1 and 500 by turns each second: nothing lost, nothing sent twice`()
    async throws
  {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "30"])
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_WORKERS=500"])
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      var pushed = 0
      for round in 0..<6 {
        try await queue.push((pushed..<pushed + 300).map(Self.event))
        pushed += 300
        #expect(try await allim("scale", round % 2 == 0 ? "1" : "500").status == 0)
        try await loop.sleep(.seconds(1))
      }
      #expect(try await allim("scale", "500").status == 0)
      #expect(await eventually(on: loop) { await queue.isDrained() })
      let accepted = simulator.accepted()
      #expect(accepted.count == pushed)
      #expect(accepted.values.allSatisfy { $0 == 1 }, "some were sent twice")
      let changes = worker.records("the number of workers was changed by an operator")
      #expect(changes.count >= 2, "\(worker.lines)")
      #expect(await worker.stop() == ExitStatus())
      #expect(await queue.leftovers() == [])
      await simulator.stop()
    }
  }

  @Test(.redis) func `auto brings workers while work waits; a number ends it`() async throws {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop, ["--latency", "800"])
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_WORKERS=auto"])
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      try await queue.push((0..<1_500).map(Self.event))
      #expect(try await eventually(on: loop) { try await capacity(allim) > 64 })
      #expect(await eventually(on: loop) { await queue.isDrained() })
      #expect(try await allim("scale", "12").status == 0)
      #expect(try await eventually(on: loop) { try await capacity(allim) == 12 })
      #expect(try await allim("scale", "auto").status == 0)
      #expect(
        await eventually(on: loop) {
          worker.records("the number of workers was changed by an operator")
            .last?["kind"]?.string == "auto"
        })
      let accepted = simulator.accepted()
      #expect(accepted.count == 1_500 && accepted.values.allSatisfy { $0 == 1 })
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }
}
