import PushModel
import PushWorker
import RedisClient
import Testing

@testable import PushQueue

/// A script with items it works on, ready to be refused in its middle.
///
/// `act` is what a worker or operator calls and, after an error, calls again.
struct RefusalScene: Sendable, CustomTestStringConvertible {
  let name: String
  var settings = QueueSettings()
  /// Puts what the scene needs into Redis; what it returns acts.
  let prepare: @Sendable (RedisStage, any JobQueue) async throws -> () async throws -> Void

  var testDescription: String { name }

  static let all =
    taking + settling + giving + operating
}

// MARK: Taking

extension RefusalScene {
  private static let taking = [
    RefusalScene(name: "take from everywhere") { stage, queue in
      try await stage.push("e0", "e1", "e2", "e3", "e4", "e5")
      try await stage.call("RPUSH", stage.keys.parked(parkedCredential), "p0", "p1")
      try await stage.call("RPUSH", stage.keys.chunks, "c0")
      try await stage.call("ZADD", stage.keys.delayed, "1", "d0", "2", "d1")
      return { try await takeAll(queue) }
    },
    RefusalScene(name: "take, with a letter that waits and an item of another version") {
      stage, queue in
      try await stage.push("e0", "e1")
      try await stage.call("RPUSH", stage.keys.chunks, "~7;id=1\nnewer")
      let letter = "~0;id=1;dead=rejected\nletter"
      try await stage.call("ZADD", stage.keys.delayed, "1", "d0", "2", letter, "3", "d1")
      try await stage.call("HSET", stage.keys.counters, "dead_waiting", "1", "dead_waited", "1")
      return { try await takeAll(queue) }
    },
    RefusalScene(name: "take suspects") { stage, queue in
      for name in ["s0", "s1"] {
        let item = "~1;id=\(name);a=0;c=2;t0=1;r=0;done=0\n\(name)"
        try await stage.call("RPUSH", stage.keys.suspects, item)
      }
      return { try await takeAll(queue) }
    },
  ]

  private static func takeAll(_ queue: any JobQueue) async throws {
    _ = try await queue.reconcile()
    _ = try await queue.take(TakeOrder(50, parked: [.init(parkedCredential, most: 50)]))
  }

  private static func held(
    _ count: Int, _ stage: RedisStage, _ queue: any JobQueue
  ) async throws -> [QueueItem] {
    try await stage.push(count: count)
    return try await queue.take(count).items
  }
}

// MARK: Settling

extension RefusalScene {
  private static var smallDropping: QueueSettings {
    var settings = QueueSettings()
    settings.deadMax = 1
    settings.whenDeadFull = .dropOldest
    settings.invalidMax = 1
    return settings
  }
  private static var smallParking: QueueSettings {
    var settings = smallDropping
    settings.whenDeadFull = .park
    return settings
  }
  private static func letter(_ name: String) -> Leaving {
    .deadLetter(.rejected, Array(name.utf8))
  }

  private static let settling = [
    RefusalScene(name: "settle") { stage, queue in
      let items = try await held(5, stage, queue)
      var receipt = TargetReceipt()
      receipt.add("id", "one")
      let settlements = [
        Settlement(items[0].receipt),
        Settlement(
          items[1].receipt, [try await stage.again(items[1], after: .seconds(90), done: [1])]),
        Settlement(
          items[2].receipt,
          [
            letter("letter"), .invalidToken([65]), .heldToken([66]),
            .parked(parkedCredential, items[2].header), .receipt(receipt),
          ]),
        Settlement(items[3].receipt, [.parked(sandboxCredential, items[3].header)]),
        Settlement(items[4].receipt),
      ]
      return { _ = try await queue.settle(settlements) }
    },
    RefusalScene(name: "settle into full lists", settings: smallDropping) { stage, queue in
      let items = try await held(4, stage, queue)
      let old = [letter("old"), .invalidToken([64])]
      _ = try await queue.settle([Settlement(items[0].receipt, old)])
      let settlements = items[1...].map {
        Settlement($0.receipt, [letter("letter \($0.text)"), .invalidToken([65])])
      }
      return { _ = try await queue.settle(settlements) }
    },
    RefusalScene(name: "settle, letters wait", settings: smallParking) { stage, queue in
      let items = try await held(3, stage, queue)
      _ = try await queue.settle([Settlement(items[0].receipt, [letter("old")])])
      let settlements = items[1...].map { Settlement($0.receipt, [letter("letter \($0.text)")]) }
      return { _ = try await queue.settle(settlements) }
    },
    RefusalScene(name: "progress") { stage, queue in
      let item = try await held(1, stage, queue)[0]
      let leaves = [letter("letter"), .parked(parkedCredential, item.header)]
      let step = ItemProgress(item.receipt, done: TargetSet(all: 3), leaves: leaves)
      return { _ = try await queue.progress(step) }
    },
    RefusalScene(name: "split") { stage, queue in try await split(stage, queue, isLast: false) },
    RefusalScene(name: "split, the last step") { stage, queue in
      try await split(stage, queue, isLast: true)
    },
  ]

  private static func split(
    _ stage: RedisStage, _ queue: any JobQueue, isLast: Bool
  ) async throws -> () async throws -> Void {
    let item = try await held(1, stage, queue)[0]
    let chunks = (0..<3).map { part in
      SplitStep.Chunk(ItemHeader(id: .written("c\(part)"), firstTaken: 1), [99, UInt8(48 + part)])
    }
    let step = SplitStep(item.receipt, chunks, done: TargetSet(all: 9), isLast: isLast)
    return { _ = try await queue.split(step) }
  }
}

// MARK: Giving back

extension RefusalScene {
  /// Two that crashed once before, so that they become suspects, and two that did not.
  private static func heldByTheDead(_ stage: RedisStage) async throws {
    let other = try await stage.worker("dead")
    for name in ["s0", "s1"] {
      let item = "~1;id=\(name);a=0;c=1;t0=1;r=0;done=0\n\(name)"
      try await stage.call("RPUSH", stage.keys.ready, item)
    }
    try await stage.push("e0", "e1")
    let items = try await other.take(4).items
    _ = try await other.progress(ItemProgress(items[3].receipt, done: TargetSet(all: 1)))
  }

  private static let giving = [
    RefusalScene(name: "put back") { stage, queue in
      let items = try await held(4, stage, queue)
      _ = try await queue.progress(ItemProgress(items[1].receipt, done: TargetSet(all: 1)))
      let receipts = items.dropLast().map(\.receipt)
      return { try await queue.putBack(receipts) }
    },
    RefusalScene(name: "release") { stage, queue in
      _ = try await held(4, stage, queue)
      return { try await queue.release() }
    },
    RefusalScene(name: "recover") { stage, queue in
      try await heldByTheDead(stage)
      try await stage.call("ZADD", stage.keys.leases, "XX", "1", "dead")
      return { _ = try await queue.recover() }
    },
    RefusalScene(name: "join and beat") { stage, queue in
      _ = try await held(1, stage, queue)
      return {
        let answer = await Result { try await queue.join() }
        // A lease must never be gone while its instance holds something.
        let lease = try await stage.call("ZSCORE", stage.keys.leases, queue.instance)
        #expect(lease.bytes != nil)
        try answer.get()
        _ = try await queue.beat(InstanceStatus())
      }
    },
  ]
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}

// MARK: Operators

extension RefusalScene {
  private static func letters(
    _ stage: RedisStage, _ queue: any JobQueue
  ) async throws -> [[UInt8]] {
    let items = try await held(4, stage, queue)
    let letters = items.map { Array("{\"deadAt\":5,\"id\":\"\($0.text)\"}".utf8) }
    _ = try await queue.settle(
      zip(items, letters).map { Settlement($0.receipt, [.deadLetter(.rejected, $1)]) })
    return letters
  }

  private static let operating = [
    RefusalScene(name: "retry letters") { stage, queue in
      let retries = try await letters(stage, queue).enumerated().map { index, letter in
        DeadRetry(
          letter: letter, reason: "rejected", id: "r\(index)", replays: 1,
          event: Array("r\(index)".utf8))
      }
      let inspector = try QueueInspector(stage.name, stage.admin)
      return { _ = try await inspector.retryDead(retries) }
    },
    RefusalScene(name: "purge letters") { stage, queue in
      let letters = try await letters(stage, queue)
      let inspector = try QueueInspector(stage.name, stage.admin)
      return { _ = try await inspector.purgeDead(Array(letters.prefix(2))) }
    },
    RefusalScene(name: "purge old letters") { stage, queue in
      _ = try await letters(stage, queue)
      let inspector = try QueueInspector(stage.name, stage.admin)
      return { _ = try await inspector.purgeDead(before: 9) }
    },
    RefusalScene(name: "unpark") { stage, queue in
      let list = stage.keys.parked(parkedCredential)
      try await stage.call("RPUSH", list, "p0", "p1", "p2")
      let inspector = try QueueInspector(stage.name, stage.admin)
      return { _ = try await inspector.unpark(list, count: 2) }
    },
    RefusalScene(name: "release held records") { stage, queue in
      try await stage.call("RPUSH", stage.keys.held, "A", "B", "C")
      let inspector = try QueueInspector(stage.name, stage.admin)
      return { _ = try await inspector.releaseHeld([[65], [66]], invalidMax: 10) }
    },
  ]
}
