import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

@Suite(.redis) struct QueueDoctorTests {
  private func inspecting(
    _ body: @escaping @Sendable (QueueInspector, RedisStage) async throws -> Void
  ) async throws {
    let url = try redis().url
    try await onLoop { loop in
      let stage = try RedisStage(loop, url)
      try await body(try QueueInspector(stage.name, stage.admin), stage)
    }
  }

  @Test func `a healthy queue has no findings`() async throws {
    try await inspecting { inspector, stage in
      let queue = try await stage.worker()
      _ = try await queue.beat(InstanceStatus())
      try await stage.push("one", "two")
      _ = try await queue.take(1)
      var findings = try await inspector.examine(credentials: [parkedCredential])
      #expect(findings.serverTime > 1_700_000_000_000)
      findings.serverTime = 0
      #expect(findings == QueueFindings())
      #expect(!findings.isMendable)
      #expect(try await inspector.mend(findings) == 0)
    }
  }

  @Test func `keys of a wrong type are named`() async throws {
    try await inspecting { inspector, stage in
      try await stage.call("SET", stage.keys.delayed, "x")
      try await stage.call("HSET", stage.keys.dead, "a", "b")
      let findings = try await inspector.examine(credentials: [])
      #expect(
        findings.wrongTypes == [
          .init(key: stage.keys.dead, found: "hash", expected: "list"),
          .init(key: stage.keys.delayed, found: "string", expected: "zset"),
        ])
    }
  }

  @Test func `what instances left behind is found and mended`() async throws {
    try await inspecting { inspector, stage in
      for name in ["orphan", "lapsed", "alive"] {
        let queue = try await stage.worker(name)
        if name != "alive" { _ = try await queue.beat(InstanceStatus()) }
        try await stage.push("\(name)-1", "\(name)-2")
        let items = try await queue.take(2).items
        _ = try await queue.progress(ItemProgress(items[0].receipt, done: TargetSet(all: 1)))
      }
      try await stage.call("ZREM", stage.keys.leases, "orphan")
      try await stage.call("ZADD", stage.keys.leases, "5", "lapsed")
      let findings = try await inspector.examine(credentials: [])
      #expect(findings.orphans == ["orphan": 2])
      #expect(findings.lapsed == ["lapsed": 2])
      #expect(findings.silent == ["alive"])
      #expect(findings.staleReports == ["orphan"])
      #expect(findings.isMendable)
      #expect(try await inspector.mend(findings) == 4)
      let after = try await inspector.examine(credentials: [])
      #expect(!after.isMendable)
      let stored = try await stage.stored()
      #expect(Set(stored.ready) == ["orphan-1", "orphan-2", "lapsed-1", "lapsed-2"])
      #expect(stored.inflight == 2, "what lives was left alone")
    }
  }

  @Test func `parked lists are found, also of credentials that nobody has`() async throws {
    try await inspecting { inspector, stage in
      let queue = try await stage.worker()
      let gone = CredentialKey(app: "*old?", provider: .fcm)
      try await stage.push("p0", "p1", "p2")
      let items = try await queue.take(3).items
      for (item, credential) in zip(items, [parkedCredential, gone, gone]) {
        _ = try await queue.settle([
          Settlement(item.receipt, [.parked(credential, item.header)])
        ])
      }
      let findings = try await inspector.examine(credentials: [parkedCredential])
      let old = stage.keys.parked(gone)
      #expect(findings.parked == [stage.keys.parked(parkedCredential): 1, old: 2])
      #expect(findings.parkedSince[old] == items[1].header.firstTaken)
      #expect(findings.unknownParked == [old])
      #expect(try await inspector.unpark(stage.keys.dead, count: 5) == 0, "no parked list")
      #expect(try await inspector.unpark(old, count: 1) == 1)
      #expect(try await inspector.unpark(old, count: 9) == 1)
      #expect(try await queue.take(5).items.map(\.header.id) == items[1...].map(\.header.id))
    }
  }

  @Test func `held records are released or dropped by value`() async throws {
    try await inspecting { inspector, stage in
      for record in ["a", "b", "c", "d"] { try await stage.call("RPUSH", stage.keys.held, record) }
      #expect(try await inspector.heldCount() == 4)
      #expect(try await inspector.heldTokens(from: 1, count: 2) == [[98], [99]])
      #expect(try await inspector.releaseHeld([[97], [99], [120]]) == 2)
      #expect(try await inspector.releaseHeld([[97]]) == 0, "once")
      #expect(try await inspector.dropHeld([[98]]) == 1)
      #expect(try await inspector.releaseHeld([[100]], invalidMax: 2) == 1)
      let stored = try await stage.stored()
      #expect(stored.invalid == ["c", "d"] && stored.held.isEmpty)
      #expect(stored.counters[QueueCounter.invalid] == 3)
      #expect(stored.counters[QueueCounter.invalidDropped] == 1)
      #expect(stored.counters[QueueCounter.heldDropped] == 1)
    }
  }
}
