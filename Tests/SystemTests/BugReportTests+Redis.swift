import LoopIO
import RedisClient
import TestSupport
import Testing

/// What was reported of Redis connections of other workers.
@Suite(.serialized) struct RedisBugReportTests {
  private static let odd = "p@s:s/w#o?r%d&=+ é[]"
  private static let encoded = "p%40s%3As%2Fw%23o%3Fr%25d%26%3D%2B%20%C3%A9%5B%5D"

  @Test(.timeLimit(.minutes(2)))
  func `BR-36: the documented permissions are enough, and the database is kept over 20 kills`()
    async throws
  {
    let server = try await RedisServer(["--aclfile", deployed("redis.acl")])
    // The file's password is for its reader to change.
    await server.call("ACL", "SETUSER", "allim", "resetpass", ">" + Self.odd)
    let url = "unix://allim:\(Self.encoded)@\(server.socket)?db=3"
    try await onLoop { loop in
      let monitor = try Monitor(of: server, on: loop)
      let producer = RedisClient(
        try RedisURL("unix://allim-producer:change-me-producer@\(server.socket)?db=3"), on: loop)
      let stage = try await TroubleStage(
        on: loop, worker: url, producer: producer, settings: ["ALLIM_RECEIPTS_ENABLED=true"])
      await stage.push(5)
      #expect(await stage.allAreAccepted())
      for _ in 0..<20 {
        await server.call("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")
        await stage.push(1)
      }
      #expect(await stage.allAreAccepted())
      // INFO is ours to see; without it there is one warning and the same work.
      #expect(!stage.log.contains { $0.contains("NOPERM") }, "\(stage.log)")
      #expect(!stage.log.contains { $0.contains(Self.odd) || $0.contains(Self.encoded) })
      try await verbsWork(url, server)
      await stage.stop()
      monitor.stop()
      let elsewhere = monitor.lines.filter { $0.contains("[0 ") && $0.contains("push:") }
      #expect(elsewhere == [])
      #expect(monitor.lines.contains { $0.contains("[3 ") && $0.contains("BLMOVE") })
    }
    await server.stop()
  }

  private func verbsWork(_ url: String, _ server: RedisServer) async throws {
    let allim = AllimCommand()
    let dashboard = "unix://allim-dashboard:change-me-dashboard@\(server.socket)?db=3"
    for (verb, place) in [
      ("stats", url), ("workers", url), ("dead list", url), ("dead count", url),
      ("invalid list", url), ("scale 9", url), ("doctor", url), ("stats", dashboard),
      ("workers", dashboard),
    ] {
      let words = verb.split(separator: " ").map(String.init) + ["--redis", place]
      let ending = try await allim.run(words)
      #expect(!ending.text.contains("NOPERM"), "\(verb): \(ending.text)")
      #expect(!ending.text.contains("may not"), "\(verb): \(ending.text)")
    }
  }

  @Test(arguments: ["16", "x"]) func `BR-36: a database that is not there is no other one`(
    _ database: String
  ) async throws {
    let server = try await RedisServer()
    let url = "unix://\(server.socket)?db=\(database)"
    let ending = try await AllimCommand().run(["stats", "--redis", url])
    #expect(ending.status != 0, "\(ending.text)")
    await server.stop()
  }

  @Test(.timeLimit(.minutes(3)))
  func `BR-37: lists of a cluster are worked while a slot moves and a master is lost`()
    async throws
  {
    let queues = ["push:ios", "push:android", "{push}:ios"]
    let cluster = try await RedisCluster(["--appendonly", "yes"])
    try await onLoop { loop in
      let stage = try await ClusterStage(on: loop, cluster, queues)
      try await stage.push(30)
      #expect(await stage.allAreAccepted())

      let slot = KeySlot.slot(of: "push:ios")
      let from = try #require(await cluster.owner(of: slot))
      let to = (from + 1) % 3
      try await stage.push(30)
      await cluster.beginMove(of: slot, from: from, to: to)
      try await stage.push(10)
      await cluster.moveKeys(of: slot, from: from, to: to)
      await cluster.endMove(of: slot, to: to)
      try await stage.push(30)
      #expect(await stage.allAreAccepted())

      let lost = try #require(await cluster.owner(of: KeySlot.slot(of: "push:android")))
      try await stage.push(30)
      await cluster.nodes[lost].kill()
      // Its successor has no replica.
      try await stage.push(30, replicated: false)
      #expect(await stage.allAreAccepted())
      let drained = await eventually(on: loop) { await stage.isDrained() }
      #expect(drained)
      await stage.stop()
    }
    await cluster.stop()
  }

  @Test func `BR-37: a cluster's node under the address of a single server is refused`()
    async throws
  {
    let cluster = try await RedisCluster(replicas: false)
    let strange = try #require(await cluster.owner(of: KeySlot.slot(of: "push:messages")))
    let port = cluster.ports[(strange + 1) % 3]
    let configuration = try await onLoop { loop in
      // Only its files are needed.
      let simulator = try await RunningSimulator(on: loop)
      await simulator.stop()
      return UncheckedBox(simulator)
    }
    let ending = try await AllimCommand().run([
      "run", "--config", configuration.value.configuration, "--redis",
      "redis://127.0.0.1:\(port)",
    ])
    #expect(ending.status == 2)
    #expect(ending.text.contains("cluster://"), "\(ending.text)")
    await cluster.stop()
  }

  @Test(.timeLimit(.minutes(2)))
  func `BR-40a: a server that became a replica is left for its successor`() async throws {
    let old = try await RedisServer()
    let new = try await RedisServer(["--replicaof", "127.0.0.1 1"])
    let folder = TemporaryFolder()
    let name = folder.file("redis.sock")
    relink(name, to: old.socket)
    let port = try await RedisServer.freePort()
    await old.call("CONFIG", "SET", "port", "\(port)")
    await new.call("REPLICAOF", "127.0.0.1", "\(port)")
    try await onLoop { loop in
      let stage = try await TroubleStage(
        on: loop, worker: "unix://\(name)",
        producer: RedisClient(RedisURL(endpoint: .unix(path: name)), on: loop))
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      let follows = await eventually(on: loop) {
        await new.call("INFO", "replication").text?.contains("master_link_status:up") == true
      }
      #expect(follows)
      await new.call("REPLICAOF", "NO", "ONE")
      relink(name, to: new.socket)
      await old.call("REPLICAOF", "127.0.0.1", "1")
      let switched = ContinuousClock.now
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      // 15 s by the report; the rest is for a busy machine.
      #expect(ContinuousClock.now - switched < .seconds(30))
      await stage.stop()
    }
    await old.stop()
    await new.stop()
  }

  @Test(.timeLimit(.minutes(2)))
  func `BR-40b: with memory full the list drains, and few lines say so`() async throws {
    let server = try await RedisServer()
    try await onLoop { loop in
      let producer = RedisClient(server.url, on: loop)
      let stage = try await TroubleStage(
        on: loop, worker: "unix://\(server.socket)", producer: producer,
        settings: ["ALLIM_WORKERS=8"])
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      await server.call("HSET", "{push:messages}:control", "paused", "1")
      await stage.push(200)
      await server.call("CONFIG", "SET", "maxmemory", "1")
      // HDEL is what an operator's command does too when memory is full.
      await server.call("HDEL", "{push:messages}:control", "paused")
      #expect(await stage.allAreAccepted())
      guard case .error = await producer.call(RedisCommand("RPUSH", "push:messages", "x")) else {
        Issue.record("memory is not full")
        return
      }
      try await loop.sleep(.seconds(5))
      #expect(stage.log.count < 10, "\(stage.log.count) lines in a few seconds")
      await server.call("CONFIG", "SET", "maxmemory", "0")
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      await stage.stop()
    }
    await server.stop()
  }
}
