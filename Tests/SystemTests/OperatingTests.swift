import LoopIO
import TestSupport
import Testing

/// What an operator does to a running worker.
@Suite(.redis) struct OperatingTests {
  @Test func `scaled while it runs, TERM ends it with nothing in flight`() async throws {
    let server = try redis()
    let allim = AllimCommand(server)
    try await onLoop { loop in
      let chain = try await PushChain(
        on: loop, server, simulator: ["--latency", "100"],
        settings: ["ALLIM_WORKERS=4", "ALLIM_RECEIPTS_ENABLED=true"])
      #expect(try await eventually(on: loop) { try await capacity(allim) == 4 })
      #expect(try await allim("scale", "3").status == 0)
      #expect(try await eventually(on: loop) { try await capacity(allim) == 3 })

      let tokens = (0..<60).map { Samples.apns("e" + String($0 + 100)) }
      try await chain.queue.push(
        tokens.map { Samples.message("m", #"{"platform":"ios","token":"\#($0)"}"#) })
      #expect(await eventually(on: loop) { chain.requests().count >= 5 })
      let ending = await chain.worker.stop()
      #expect(ending == ExitStatus())

      let sent = chain.requests()
      #expect(sent.allSatisfy { $0.status == 200 } && sent.count < tokens.count)
      #expect(Set(sent.map(\.target)).count == sent.count, "sent twice")
      #expect(await chain.queue.leftovers(besides: [":receipts"]) == [])
      let receipts = await chain.queue.receipts()
      #expect(receipts.allSatisfy { $0["outcome"] == "accepted" && $0["status"] == "200" })
      #expect(
        Set(receipts.map { [$0["target"], $0["apnsId"]] })
          == Set(sent.map { [$0.target, $0.header("apns-id")] }))
      #expect(receipts.count == sent.count)
      let left = await chain.queue.ready().joined(separator: "\n")
      for token in tokens {
        let isSent = sent.contains { $0.target == token }
        #expect(left.contains(token) != isSent, "\(token.prefix(4)) sent: \(isSent)")
      }
      await chain.simulator.stop()
    }
  }

  @Test func `where Redis may evict keys a worker starts only when told to, and says so`()
    async throws
  {
    let server = try await RedisServer([
      "--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru",
    ])
    try await onLoop { loop in
      let simulator = try await RunningSimulator(on: loop)
      let arguments = ["--config", simulator.configuration, "--redis", "unix://\(server.socket)"]
      let wary = try RunningWorker(listenedTo: loop, arguments)
      #expect(await wary.waitForExit().code == 2)
      #expect(wary.lines.contains { $0.contains("redis.allowEviction") })

      let worker = try RunningWorker(
        listenedTo: loop, arguments, settings: ["ALLIM_REDIS_ALLOW_EVICTION=true"])
      let message = "redis may throw keys of the queue away"
      #expect(await eventually(on: loop) { worker.records(message).count == 1 })
      #expect(worker.records(message).first?["detail"]?.string == "allkeys-lru")
      #expect(await eventually(on: loop) { !worker.records("the worker runs").isEmpty })
      #expect(try await Metrics(of: worker, on: loop)["allim_redis_may_evict"] == 1)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
    await server.stop()
  }

  /// Worker tasks of all live instances, as `allim workers` shows them.
  private func capacity(_ allim: AllimCommand) async throws -> Int64 {
    let listed = try await allim("workers", "--json")
    let workers = JSONView(listed.text.utf8)?["workers"]?.elements ?? []
    return workers.reduce(0) { $0 + ($1["capacity"]?.integer ?? 0) }
  }
}
