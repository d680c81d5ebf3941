import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// What only a real Redis can show: refusals, lost scripts, other versions, permissions.
@Suite(.redis) struct RedisQueueTests {
  private func onRedis(
    _ server: RedisServer? = nil, _ body: @escaping @Sendable (RedisStage) async throws -> Void
  ) async throws {
    let url = try server?.url ?? redis().url
    try await onLoop { loop in try await body(try RedisStage(loop, url)) }
  }

  @Test func `scripts that Redis forgot are sent again`() async throws {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      for _ in 0..<3 {
        try await stage.push("one", "two")
        try await stage.call("SCRIPT", "FLUSH")
        let batch = try await queue.take(2)
        #expect(batch.texts == ["one", "two"])
        try await stage.call("SCRIPT", "FLUSH")
        let both = await queue.settleAndTake(batch.receipts.map { Settlement($0) }, want: 1)
        #expect(try both.settled.get() == [true, true])
        try await stage.call("SCRIPT", "FLUSH")
        _ = try await queue.beat(InstanceStatus())
      }
    }
    await server.stop()
  }

  @Test func `with memory full everything drains and operators can act`() async throws {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      let other = try await stage.worker("b")
      try await stage.push(count: 6)
      let lost = try await other.take(2)
      try await stage.call("RPUSH", stage.keys.dead, "letter")
      try await stage.call("ZADD", stage.keys.leases, "XX", "1", "b")
      try await stage.call("CONFIG", "SET", "maxmemory", "1")
      await #expect(throws: RedisError.self) { try await stage.push("refused") }

      let items = try await queue.take(3).items
      #expect(items.map(\.text) == ["e2", "e3", "e4"])
      let progress = ItemProgress(
        items[0].receipt, done: TargetSet(all: 1), leaves: [.heldToken([65])])
      #expect(try await queue.progress(progress))
      let leaves = [
        try await stage.again(items[1], after: .seconds(9)), .deadLetter(.rejected, [66]),
      ]
      #expect(
        try await queue.settle([
          Settlement(items[0].receipt), Settlement(items[1].receipt, leaves),
        ]) == [true, true])
      try await queue.putBack([items[2].receipt])
      await queue.waitForWork(upTo: .milliseconds(30))  // the peek is refused: by looking
      #expect(try await queue.recover() == 2)
      _ = try await queue.beat(InstanceStatus())
      let inspector = try QueueInspector(stage.name, stage.admin)
      try await inspector.scale(7)
      let retry = DeadRetry(
        letter: Array("letter".utf8), reason: "rejected", id: "x", replays: 1, event: [67])
      #expect(try await inspector.retryDead([retry]) == 1)
      let rest = try await queue.take(9)
      #expect(rest.texts == ["e0", "e1", "e4", "e5", "C"])
      try await Self.useAll(queue, rest.items, inspector, stage)
      try await queue.release()
      #expect(lost.items.count == 2)
    }
    await server.stop()
  }

  @Test func `a take that is denied half-way gives its items back in order`() async throws {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      try await stage.call("ACL", "SETUSER", "default", "-hset")
      let error = await #expect(throws: QueueError.self) { try await queue.take(2) }
      #expect(error?.code == .misconfigured)
      try await stage.call("ACL", "SETUSER", "default", "+hset")
      #expect(try await queue.take(2).texts == ["one", "two"])
    }
    await server.stop()
  }

  /// With memory full: chunks, parked items, and each of an operator's scripts.
  private static func useAll(
    _ queue: any JobQueue, _ items: [QueueItem], _ inspector: QueueInspector, _ stage: RedisStage
  ) async throws {
    let chunk = SplitStep.Chunk(items[0].header, [68])
    for (done, isLast) in [(1, false), (2, true)] {
      let step = SplitStep(
        items[0].receipt, [chunk, chunk], done: TargetSet(all: done), isLast: isLast)
      #expect(try await queue.split(step))
    }
    let parked = Leaving.parked(parkedCredential, items[1].header)
    let letter = Leaving.deadLetter(.expired, [69])
    _ = try await queue.settle([Settlement(items[1].receipt, [parked, letter])])
    let order = TakeOrder(9, parked: [.init(parkedCredential, most: 1)])
    #expect(try await queue.take(order).texts == ["e1", "D", "D", "D", "D"])
    #expect(try await inspector.purgeDead([[69]]) == 1)
    #expect(try await inspector.purgeDead(before: 1) == 0)
    #expect(try await inspector.releaseHeld([[65]]) == 1)
    _ = try await queue.settle([
      Settlement(items[2].receipt, [.parked(parkedCredential, items[2].header)])
    ])
    #expect(try await inspector.unpark(stage.keys.parked(parkedCredential), count: 5) == 1)
    let findings = try await inspector.examine(credentials: [])
    #expect(try await inspector.mend(findings) == 0)
  }

  @Test func `progress whose answer was lost leaves nothing twice`() async throws {
    try await onRedis { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      let item = try await queue.take(1).items[0]
      let step = ItemProgress(
        item.receipt, done: TargetSet(all: 1), leaves: [.deadLetter(.rejected, [65])])
      #expect(try await queue.progress(step))
      #expect(try await queue.progress(step))
      #expect(try await stage.stored().dead == ["A"])
    }
  }

  @Test func `what a fail-over lost of an item is not hidden by what follows`() async throws {
    try await onRedis { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      let item = try await queue.take(1).items[0]
      func step(_ count: Int, _ letter: UInt8) -> ItemProgress {
        ItemProgress(
          item.receipt, done: TargetSet(all: count), leaves: [.deadLetter(.rejected, [letter])])
      }
      #expect(try await queue.progress(step(1, 65)))
      #expect(try await queue.progress(step(2, 66)))
      // The new master has the first step only.
      try await stage.call("HSET", stage.keys.inflight(queue.instance), "p:\(item.receipt)", "1")
      try await stage.call("RPOP", stage.keys.dead)
      #expect(try await !queue.progress(step(3, 67)))
      #expect(try await queue.settle([Settlement(item.receipt)]) == [false])
      let adopted = try await queue.reconcile()
      #expect(adopted.map(\.header.done) == [TargetSet(all: 1)])
      #expect(try await queue.progress(step(2, 66)))
      #expect(try await queue.settle([Settlement(item.receipt)]) == [true])
      #expect(try await stage.stored().dead == ["A", "B"])
    }
  }

  @Test func `an item of a newer version waits a minute unchanged`() async throws {
    try await onRedis { stage in
      let queue = try await stage.worker()
      let newer = "~2;id=a;new=1\n{}"
      try await stage.push(newer, "one")
      let batch = try await queue.take(5)
      #expect(batch.texts == ["one"])
      #expect(try #require(batch.nextDue) > .seconds(50))
      for _ in 0..<2 {
        #expect(
          try await stage.call("ZRANGE", stage.keys.delayed, "0", "-1").array?[0].text == newer)
        try await stage.pass(.seconds(8))
        try await queue.join()
        try await stage.pass(.seconds(53))
        try await queue.join()
        #expect(try await queue.take(5).items.isEmpty)
      }
      #expect(try await stage.stored().counters[QueueCounter.unknownHeader] == 3)
    }
  }

  @Test func `a header from outside that cannot be read is the producer's bytes`() async throws {
    try await onRedis { stage in
      let queue = try await stage.worker()
      let odd = "~1;id=a;a=99999999999999999999;c=0;t0=0;r=0;done=0\n{}"
      try await stage.push(odd, "~1;id=b;a=0;c=0;t0=0;r=0;done=..\n{}", "~x")
      let items = try await queue.take(5).items
      #expect(items.map(\.text) == [odd, "~1;id=b;a=0;c=0;t0=0;r=0;done=..\n{}", "~x"])
      #expect(items.allSatisfy { !$0.header.id.isEmpty && $0.header.attempt == 0 })
    }
  }

  @Test func `a fresh item keeps the header that follows from its receipt, whoever has it next`()
    async throws
  {
    try await onRedis { stage in
      let queue = try await stage.worker()
      let dying = try await stage.worker("b")
      try await stage.push("one", "~two")
      let items = try await dying.take(2).items
      #expect(Set(items.map(\.header.id)).count == 2)
      try await stage.call("ZADD", stage.keys.leases, "XX", "1", "b")
      #expect(try await queue.recover() == 2)
      let crashed = try await queue.take(2).items
      var headers = items.map(\.header)
      for index in headers.indices { headers[index].crashes = 1 }
      #expect(crashed.map(\.text) == ["one", "~two"])
      #expect(crashed.map(\.header) == headers)

      try await stage.push("three", "four")
      let fresh = try await queue.take(2).items
      try await queue.putBack([fresh[0].receipt])
      #expect(try await queue.take(1).items.map(\.header) == [fresh[0].header])
      try await queue.release()
      let next = try await stage.worker("c")
      let all = try await next.take(9).items
      func sorted(_ items: [QueueItem]) -> [ItemHeader] {
        items.map(\.header).sorted { $0.id < $1.id }
      }
      #expect(sorted(all) == sorted(crashed + fresh))
    }
  }

  @Test func `what is no item among the suspects holds nobody up`() async throws {
    try await onRedis { stage in
      let queue = try await stage.worker()
      let junk = ["junk", "~x", "~3;id=1\n;c=9;", "{\"text\":\";c=7;\"}"]
      for item in junk { try await stage.call("RPUSH", stage.keys.suspects, item) }
      try await stage.push("one")
      let items = try await queue.take(9).items
      #expect(items.map(\.text) == junk)
      _ = try await queue.settle(items.map { Settlement($0.receipt) })
      #expect(try await queue.take(9).texts == ["one"])
    }
  }

  @Test func `a key of the wrong type needs a person`() async throws {
    try await onRedis { stage in
      try await stage.call("SET", stage.keys.ready, "x")
      let queue = try await stage.worker()
      let error = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(error?.code == .misconfigured)
      let begin = ContinuousClock.now
      await queue.waitForWork(upTo: .milliseconds(50))
      #expect(begin.duration(to: .now) >= .milliseconds(40), "it does not spin")
    }
  }

  @Test func `without enough replicas nothing is taken, and results are kept by the worker`()
    async throws
  {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      let item = try await queue.take(1).items[0]
      try await stage.call("CONFIG", "SET", "min-replicas-to-write", "1")
      let taking = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(taking?.code == .refusing)
      let settling = await #expect(throws: QueueError.self) {
        try await queue.settle([Settlement(item.receipt)])
      }
      #expect(settling?.code == .refusing)
      try await stage.call("CONFIG", "SET", "min-replicas-to-write", "0")
      #expect(try await queue.reconcile().isEmpty, "the worker still holds its result")
      #expect(try await queue.settle([Settlement(item.receipt)]) == [true])
      #expect(try await queue.take(1).texts == ["two"])
    }
    await server.stop()
  }

  @Test func `a server that turned replica is left and found again`() async throws {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      try await stage.call("REPLICAOF", "127.0.0.1", "1")
      let error = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(error?.code == .refusing)
      try await stage.call("REPLICAOF", "NO", "ONE")
      #expect(try await queue.take(1).texts == ["one"])
      let client = try #require(queue as? RedisQueue).client
      #expect(client.connections == 2, "another connection, since the name may lead elsewhere now")
    }
    await server.stop()
  }

  @Test func `the smallest permissions are enough`() async throws {
    try await onRedis { stage in
      var rule = RedisCommand("ACL", "SETUSER", "worker", "on", ">pw", "resetkeys", "~push:*")
      for word in ["~{push:*", "-@all"] + Self.commands { rule.append(word) }
      #expect(await stage.admin.call(rule) == .status("OK"))
      let own = try RedisURL("unix://worker:pw@\(try redis().socket)")
      let limited = try RedisStage(stage.loop, own)
      let queue = try await limited.worker()
      let dying = try await limited.worker("b")
      try await limited.push("one", "two", "three")
      _ = try await dying.take(1)
      let items = try await queue.take(2).items
      _ = try await queue.progress(ItemProgress(items[0].receipt, done: TargetSet(all: 1)))
      _ = try await queue.settle([
        Settlement(items[0].receipt, [.invalidToken([65]), .deadLetter(.rejected, [66])]),
        Settlement(items[1].receipt, [.again(at: 0, items[1].header)]),
      ])
      await queue.waitForWork(upTo: .milliseconds(10))
      _ = try await queue.reconcile()
      _ = try await queue.beat(InstanceStatus())
      var admin = RedisCommand("ZADD", limited.keys.leases, "XX", "1")
      admin.append("b")
      _ = await stage.admin.call(admin)
      #expect(try await queue.recover() == 1)
      #expect(try await queue.take(5).items.count == 2)
      try await queue.release()
      #expect(try await QueueInspector(limited.name, limited.admin).stats().ready == 2)
    }
  }

  /// What a worker and the command line use, as the documented ACL line has it.
  static let commands = [
    "+eval", "+evalsha", "+select", "+time", "+blmove", "+rpush", "+lpush", "+lpop", "+llen",
    "+lrange", "+lindex", "+lrem", "+ltrim", "+zadd", "+zrem", "+zscore", "+zcard", "+zcount",
    "+zrange", "+zrangebyscore", "+hget", "+hmget", "+hgetall", "+hkeys", "+hlen", "+hset", "+hdel",
    "+hexists", "+hincrby", "+del",
  ]

  @Test func `a dead connection while waiting for work ends the wait`() async throws {
    let server = try await RedisServer()
    try await onRedis(server) { stage in
      let queue = try await stage.worker()
      await queue.waitForWork(upTo: .milliseconds(1))
      let begin = ContinuousClock.now
      await server.freeze()
      await queue.waitForWork(upTo: .milliseconds(100))
      let waited = begin.duration(to: .now)
      await server.resume()
      #expect(waited < .seconds(45), "t + 1 s, and a pause")
      try await stage.push("one")
      #expect(try await queue.take(1).texts == ["one"])
    }
    await server.stop()
  }

  @Test func `two hundred and fifty-six items are a round trip`() async throws {
    try await onRedis { stage in
      let queue = try #require(try await stage.worker() as? RedisQueue)
      var events = RedisCommand("RPUSH", stage.keys.ready)
      for number in 0..<2_560 { events.append("event \(number)") }
      _ = await stage.admin.call(events)
      var settlements: [Settlement] = []
      var settled = 0
      while settled < 2_560 {
        let both = await queue.settleAndTake(settlements, want: 256)
        settled += try both.settled.get().count
        settlements = try both.taken.get().receipts.map { Settlement($0) }
      }
      #expect(Double(queue.roundTrips) / 2_560 <= 0.0078)
    }
  }
}
