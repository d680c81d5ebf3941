import LoopIO
import PushModel
import PushWorker
import RedisClient
import SharedState
import TestSupport
import Testing

@testable import PushQueue

/// The two conformers of `JobQueue`; every test of the conformance suite runs on both.
enum QueueKind: String, CaseIterable, Sendable { case memory, redis }

/// A queue of a test's own with as many instances as it asks for, and a look at what is stored.
/// Time passes only when the test says so.
protocol QueueStage: AnyObject {
  var clock: ManualClock { get }
  var loop: Loop { get }
  /// An instance that has not joined yet.
  func instance(_ name: String, _ settings: QueueSettings) throws -> any JobQueue
  func push(_ events: String...) async throws
  /// The same, more than a test wants to write out.
  func push(count: Int) async throws
  /// Moves the server's time and the instances' clock on.
  func pass(_ duration: Duration) async throws
  func serverTime() async throws -> Int64
  func set(_ field: String, _ value: String?) async throws
  /// Makes Redis forget a settlement, as a fail-over to an older state would.
  func bringBack(_ item: QueueItem, to instance: String) async throws
  /// Lets `queue` take while its answer is lost.
  func takeAndLoseAnswer(_ queue: any JobQueue, _ want: Int) async throws
  func stored() async throws -> Stored
}

/// What lies where, as bytes without headers.
struct Stored: Equatable {
  var ready: [String] = []
  var delayed: [String] = []
  var chunks: [String] = []
  var suspects: [String] = []
  var dead: [String] = []
  var invalid: [String] = []
  var held: [String] = []
  var parked: [String] = []
  var receipts: [TargetReceipt] = []
  var inflight = 0
  var counters: [String: Int] = [:]

  /// The same without the counters.
  func isOnly(
    ready: [String] = [], delayed: [String] = [], chunks: [String] = [], suspects: [String] = [],
    dead: [String] = [], parked: [String] = [], inflight: Int = 0
  ) -> Bool {
    self.ready == ready && self.delayed == delayed && self.chunks == chunks
      && self.suspects == suspects && self.dead == dead && self.parked == parked
      && self.inflight == inflight
  }
}

extension QueueStage {
  /// An instance that has joined.
  func worker(
    _ name: String = "a", _ settings: QueueSettings = QueueSettings()
  ) async throws -> any JobQueue {
    let queue = try instance(name, settings)
    try await queue.join()
    return queue
  }

  func push(count: Int) async throws {
    for number in 0..<count { try await push("e\(number)") }
  }

  func again(_ item: QueueItem, after delay: Duration, done: [Int] = []) async throws -> Leaving {
    var header = item.header
    header.attempt += 1
    for index in done { header.done.insert(index) }
    return .again(at: try await serverTime() + delay.milliseconds, header)
  }
}

extension QueueItem {
  var text: String { String(decoding: bytes, as: UTF8.self) }
}

extension Batch {
  var texts: [String] { items.map(\.text) }
  var receipts: [Receipt] { items.map(\.receipt) }
}

func withoutHeader(_ item: [UInt8]) -> String {
  String(decoding: ItemHeader.split(item)?.bytes ?? item, as: UTF8.self)
}

let parkedCredential = CredentialKey(app: "chat", provider: .apns)

final class MemoryStage: QueueStage {
  let clock = ManualClock()
  let loop: Loop
  private let store: InMemoryStore

  init(_ loop: Loop) {
    self.loop = loop
    store = InMemoryStore(clock: clock)
  }

  func instance(_ name: String, _ settings: QueueSettings) -> any JobQueue {
    InMemoryQueue(instance: name, store: store, settings: settings)
  }

  func push(_ events: String...) {
    for event in events { store.push(Array(event.utf8)) }
  }

  func pass(_ duration: Duration) { clock.advance(duration) }

  func serverTime() -> Int64 { clock.wall() }

  func set(_ field: String, _ value: String?) { store.set(field, value) }

  func bringBack(_ item: QueueItem, to instance: String) {
    store.with {
      $0.instances[instance]?.items[item.receipt] = .init(item.header, item.bytes)
    }
  }

  func takeAndLoseAnswer(_ queue: any JobQueue, _ want: Int) async throws {
    let queue = try #require(queue as? InMemoryQueue)
    queue.fault = { _ in .after }
    await #expect(throws: QueueError.self) { try await queue.take(want) }
    queue.fault = { _ in nil }
  }

  func stored() -> Stored {
    func texts(_ items: [[UInt8]]) -> [String] { items.map(withoutHeader) }
    return Stored(
      ready: texts(store.ready), delayed: texts(store.delayed.map(\.bytes)),
      chunks: texts(store.chunks), suspects: texts(store.suspects), dead: texts(store.dead),
      invalid: texts(store.invalid), held: texts(store.held),
      parked: texts(store.parked(parkedCredential)), receipts: store.receipts,
      inflight: store.inflight, counters: store.counters)
  }
}

final class RedisStage: QueueStage {
  let clock = ManualClock()
  let loop: Loop
  let name = "push:\(UInt64.random(in: 0...(.max)))"
  let keys: QueueKeys
  let url: RedisURL
  let admin: RedisClient

  init(_ loop: Loop, _ url: RedisURL) throws {
    self.loop = loop
    self.url = url
    admin = RedisClient(url, on: loop)
    keys = try QueueKeys(queue: name)
  }

  func instance(_ name: String, _ settings: QueueSettings) throws -> any JobQueue {
    try RedisQueue(
      self.name, instance: name, client: RedisClient(url, on: loop),
      peek: RedisClient(url, on: loop), settings: settings, clock: clock)
  }

  @discardableResult func call(_ words: String...) async throws -> RedisReply {
    var command = RedisCommand()
    for word in words { command.append(word) }
    return try await admin.call(command).get()
  }

  func push(_ events: String...) async throws {
    for event in events { try await call("RPUSH", keys.ready, event) }
  }

  /// Time passes on the server when all its moments come nearer.
  func pass(_ duration: Duration) async throws {
    clock.advance(duration)
    for key in [keys.leases, keys.delayed] {
      for member in try await list("ZRANGE", key) {
        try await call("ZINCRBY", key, "-\(duration.milliseconds)", member)
      }
    }
  }

  func serverTime() async throws -> Int64 {
    let time = try #require(try await call("TIME").array?.compactMap { Int64($0.text ?? "") })
    return time[0] * 1_000 + time[1] / 1_000
  }

  func set(_ field: String, _ value: String?) async throws {
    try await QueueInspector(name, admin).set(field, value)
  }

  func bringBack(_ item: QueueItem, to instance: String) async throws {
    try await call(
      "HSET", keys.inflight(instance), String(item.receipt), item.header.line + item.text)
  }

  /// Another client under the same name takes with receipts that `queue` has given out before.
  func takeAndLoseAnswer(_ queue: any JobQueue, _ want: Int) async throws {
    let ghost = try instance(queue.instance, QueueSettings())
    _ = try await ghost.take(want)
  }

  private func list(_ verb: String, _ key: String) async throws -> [String] {
    try await call(verb, key, "0", "-1").array?.compactMap(\.text) ?? []
  }

  func stored() async throws -> Stored {
    func texts(_ verb: String, _ key: String) async throws -> [String] {
      try await list(verb, key).map { withoutHeader(Array($0.utf8)) }
    }
    var stored = Stored(
      ready: try await texts("LRANGE", keys.ready),
      delayed: try await texts("ZRANGE", keys.delayed),
      chunks: try await texts("LRANGE", keys.chunks),
      suspects: try await texts("LRANGE", keys.suspects),
      dead: try await texts("LRANGE", keys.dead), invalid: try await texts("LRANGE", keys.invalid),
      held: try await texts("LRANGE", keys.held),
      parked: try await texts("LRANGE", keys.parked(parkedCredential)))
    for entry in try await call("XRANGE", keys.receipts, "-", "+").array ?? [] {
      let words = entry.array?.last?.array?.compactMap(\.text) ?? []
      var receipt = TargetReceipt()
      for index in stride(from: 0, to: words.count, by: 2) {
        receipt.add(words[index], words[index + 1])
      }
      stored.receipts.append(receipt)
    }
    for hash in try await call("KEYS", keys.inflight("*")).array?.compactMap(\.text) ?? [] {
      let fields = try await call("HKEYS", hash).array?.compactMap(\.text) ?? []
      stored.inflight += fields.count { Int($0) != nil }
    }
    let counters = try await call("HGETALL", keys.counters).array?.compactMap(\.text) ?? []
    for index in stride(from: 0, to: counters.count, by: 2) {
      stored.counters[counters[index]] = Int(counters[index + 1])
    }
    return stored
  }
}

/// Runs `body` on a loop with a fresh queue of the kind.
func onStage(
  _ kind: QueueKind, _ body: @escaping @Sendable (any QueueStage) async throws -> Void
) async throws {
  let url = try redis().url
  try await onLoop { loop in
    switch kind {
    case .memory: try await body(MemoryStage(loop))
    case .redis: try await body(try RedisStage(loop, url))
    }
  }
}
