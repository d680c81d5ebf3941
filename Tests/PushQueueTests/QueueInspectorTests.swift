import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

@Suite(.redis) struct QueueInspectorTests {
  private func inspecting(
    _ body: @escaping @Sendable (QueueInspector, RedisStage) async throws -> Void
  ) async throws {
    let url = try redis().url
    try await onLoop { loop in
      let stage = try RedisStage(loop, url)
      try await body(try QueueInspector(stage.name, stage.admin), stage)
    }
  }

  @Test func `an empty queue has zeros everywhere`() async throws {
    try await inspecting { (inspector, _) async throws in
      #expect(try await inspector.stats() == QueueStats())
      #expect(try await inspector.workers().isEmpty)
      #expect(try await inspector.deadLetters(from: 0, count: 10).isEmpty)
      #expect(try await inspector.drainInvalid(10).isEmpty)
      #expect(try await inspector.wishes() == FleetNews())
    }
  }

  @Test func `figures say what lies where`() async throws {
    try await inspecting { inspector, stage in
      #expect(try await inspector.enqueue([[65], [66], [67], [68]]) == 4)
      let queue = try await stage.worker()
      let items = try await queue.take(3).items
      _ = try await queue.settle([
        Settlement(
          items[0].receipt,
          [
            try await stage.again(items[0], after: .seconds(9)), .deadLetter(.rejected, [1]),
            .deadLetter(.expired, [2]), .invalidToken([3]), .heldToken([4]),
            .parked(parkedCredential, items[0].header),
          ])
      ])
      let stats = try await inspector.stats(parkedOf: [parkedCredential])
      #expect(stats.ready == 1 && stats.delayed == 1 && stats.inFlight == 2)
      #expect(stats.parked == 1 && stats.dead == 2 && stats.invalid == 1 && stats.invalidHeld == 1)
      #expect(stats.deadByReason == [.rejected: 1, .expired: 1])
      #expect(stats.oldest == [68])
      #expect(stats.instances == 1)
    }
  }

  @Test func `workers show their status and their lease`() async throws {
    try await inspecting { inspector, stage in
      let queue = try await stage.worker("w.0")
      var status = InstanceStatus()
      status.host = "push-1"
      status.busy = 5
      _ = try await queue.beat(status)
      let entry = try #require(try await inspector.workers().first)
      #expect(entry.instance == "w.0")
      #expect(entry.status == status)
      #expect(entry.leaseLeft > .seconds(9) && entry.leaseLeft <= .seconds(13))
      try await queue.release()
      #expect(try await inspector.workers().isEmpty)
    }
  }

  @Test func `a retried letter is an event again, once`() async throws {
    try await inspecting { inspector, stage in
      for letter in ["l0", "l1", "l2"] {
        try await stage.call("RPUSH", stage.keys.dead, letter)
        try await stage.call("HINCRBY", stage.keys.counters, "dead:rejected", "1")
      }
      let retry = DeadRetry(
        letter: Array("l1".utf8), reason: "rejected", id: "a;b\r\nc", replays: 3,
        event: Array("{}".utf8))
      #expect(try await inspector.retryDead([retry, retry]) == 1)
      #expect(try await inspector.retryDead([retry]) == 0)
      #expect(try await inspector.deadCount() == 2)
      #expect(try await inspector.deadLetters(from: 1, count: 5) == [Array("l2".utf8)])
      #expect(try await inspector.stats().deadByReason == [.rejected: 2])

      let queue = try await stage.worker()
      let item = try await queue.take(1).items[0]
      #expect(item.text == "{}")
      #expect(item.header.replays == 3 && item.header.attempt == 0 && item.header.id == "ab\rc")
    }
  }

  @Test func `draining removes the oldest records`() async throws {
    try await inspecting { inspector, stage in
      for record in ["a", "b", "c"] { try await stage.call("RPUSH", stage.keys.invalid, record) }
      #expect(try await inspector.invalidTokens(from: 0, count: 2) == [[97], [98]])
      #expect(try await inspector.drainInvalid(2) == [[97], [98]])
      #expect(try await inspector.invalidCount() == 1)
    }
  }

  @Test func `wishes are set, read by workers, and cleared`() async throws {
    try await inspecting { inspector, stage in
      let queue = try await stage.worker("w.0")
      try await inspector.scale(32)
      try await inspector.scale(4, instance: "w.0")
      try await inspector.setPaused(true)
      try await inspector.setPaused(true, app: "chat")
      let news = try await queue.beat(InstanceStatus())
      #expect(news.wantedWorkers == 4 && news.isPaused && news.pausedApps == ["chat"])
      #expect(try await inspector.wishes().wantedWorkers == 32)
      try await inspector.scale(nil)
      try await inspector.scale(nil, instance: "w.0")
      try await inspector.setPaused(false)
      try await inspector.setPaused(false, app: "chat")
      #expect(try await inspector.wishes(for: "w.0") == FleetNews())
    }
  }
}
