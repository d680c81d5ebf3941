import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// Replicas that results wait for, and what a server that knows less than its predecessor is told.
@Suite struct ReplicaTests {
  private final class Told { var replicas: [Int] = [] }

  private func settings(replicas: Int) -> QueueSettings {
    var settings = QueueSettings()
    settings.waitReplicas = replicas
    settings.waitTimeout = .seconds(2)
    return settings
  }

  @Test func `results wait for a replica, and go on without one`() async throws {
    let port = try await RedisServer.freePort()
    let master = try await RedisServer(["--port", "\(port)", "--repl-diskless-sync-delay", "0"])
    let replica = try await RedisServer(["--replicaof", "127.0.0.1 \(port)"])
    try await onLoop { loop in
      let stage = try RedisStage(loop, master.url)
      let queue = try #require(
        try await stage.worker("a", settings(replicas: 1)) as? RedisQueue)
      let told = Told()
      queue.onTooFewReplicas = { replicas, _ in told.replicas.append(replicas) }
      let follows = await eventually(on: loop) {
        await replica.call("INFO", "replication").text?.contains("link_status:up") == true
      }
      #expect(follows)
      try await stage.push("one", "two", "three")
      let items = try await queue.take(3).items
      let isConnected = await eventually(on: loop) {
        await master.call("WAIT", "1", "100") == .integer(1)
      }
      #expect(isConnected)
      #expect(try await queue.settle([Settlement(items[0].receipt)]) == [true])
      #expect(told.replicas == [])
      let left = await replica.call("HLEN", stage.keys.inflight("a"))
      #expect(left == .integer(2))

      await replica.kill()
      #expect(try await queue.settle([Settlement(items[1].receipt)]) == [true])
      let progress = ItemProgress(
        items[2].receipt, done: TargetSet(all: 1), leaves: [.heldToken([65])])
      #expect(try await queue.progress(progress))
      #expect(told.replicas == [0, 0])
    }
    await master.stop()
  }

  @Test func `after a new connection what was settled is settled again at the next beat`()
    async throws
  {
    let server = try await RedisServer()
    try await onLoop { loop in
      let stage = try RedisStage(loop, server.url)
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      let items = try await queue.take(2).items
      let letter = Leaving.deadLetter(.rejected, [65])
      #expect(try await queue.settle([Settlement(items[0].receipt, [letter])]) == [true])
      // As a promoted replica that never heard of it would be.
      try await stage.bringBack(items[0], to: "a")
      try await stage.call("DEL", stage.keys.dead)
      _ = try await queue.beat(InstanceStatus())
      #expect(try await stage.stored().dead == [])
      await server.call("CLIENT", "KILL", "TYPE", "normal")
      let isBack = await eventually(on: loop) {
        (try? await queue.beat(InstanceStatus())) != nil
      }
      #expect(isBack)
      #expect(try await stage.stored().dead == ["A"])
      #expect(try await stage.stored().inflight == 1)
    }
    await server.stop()
  }
}
