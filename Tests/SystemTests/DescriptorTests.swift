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
  @Test(.redis) func `BR-45 one connection carries a thousand events and more`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let worker = try RunningWorker(
        on: loop, configuration: simulator.configuration, redis: "unix://\(server.socket)",
        settings: [
          "ALLIM_THREADS=1", "ALLIM_APPS_CHAT_APNS_CONNECTIONS_MAX=1",
          "ALLIM_APPS_CHAT_APNS_CONNECTIONS_REQUESTS_PER_SECOND=0",
        ])
      try await queue.push((0..<1_500).map(Self.event))
      #expect(await eventually(on: loop) { await queue.isDrained() })
      var recording = Recording(path: simulator.record)
      recording.refresh()
      #expect(recording.requests.count == 1_500)
      #expect(Set(recording.requests.map(\.connection)).count == 1)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  @Test(.redis) func `BR-45 with no descriptor left it waits, and goes on when some are free`()
    async throws
  {
    let server = try redis()
    try await onLoop { loop in
      let queue = try await TestQueue(on: loop, server.url)
      let simulator = try await RunningSimulator(on: loop)
      let worker = try RunningWorker(
        listenedTo: loop,
        ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"],
        settings: ["ALLIM_THREADS=1"])
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      try await limitDescriptors(of: worker.pid, to: 3, on: loop)
      // A client of the admin server is there too and cannot be let in.
      let admin = try #require(worker.records("the worker runs").first?["admin"]?.string)
      let port = try #require(admin.split(separator: ":").last.flatMap { Int($0) })
      let guest = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: port), on: loop, timeout: .seconds(5))
      let before = worker.cpuSeconds()
      let began = ContinuousClock.now
      try await queue.push((0..<20).map(Self.event))
      #expect(await eventually(on: loop) { !worker.records("no connection").isEmpty })
      #expect(await eventually(on: loop) { ContinuousClock.now - began > .seconds(3) })
      let busy = (worker.cpuSeconds() - before) / ((ContinuousClock.now - began) / .seconds(1))
      #expect(busy < 0.3, "it spins: \(busy) of a processor")
      #expect(simulator.accepted().isEmpty)
      try await limitDescriptors(of: worker.pid, to: 200, on: loop)
      #expect(
        await eventually(within: .seconds(30), on: loop) { simulator.accepted().count == 20 })
      #expect(await eventually(on: loop) { await queue.isDrained() })
      guest.close()
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  /// Sets the soft limit of a process of ours.
  private func limitDescriptors(of pid: Int32, to count: Int, on loop: Loop) async throws {
    let child = try ChildProcess(
      on: loop, "/usr/bin/prlimit", ["--pid", String(pid), "--nofile=\(count):"])
    #expect(await child.waitForExit() == ExitStatus())
  }
}
