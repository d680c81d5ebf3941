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
  func takeAndLoseAnswer(_ queue: any JobQueue, _ order: TakeOrder) async throws
  /// A consumer of dead letters pops the oldest.
  func popDead() async throws
  /// An operator removes letters, or sends one again as an event.
  func purge(_ letters: [String]) async throws -> Int
  func retry(_ letter: String, as event: String) async throws -> Int
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
  var sandboxParked: [String] = []
  var receipts: [TargetReceipt] = []
  /// Held by instances, sorted.
  var taken: [String] = []
  var counters: [String: Int] = [:]

  var inflight: Int { taken.count }

  /// The same without the counters.
  func isOnly(
    ready: [String] = [], delayed: [String] = [], chunks: [String] = [], suspects: [String] = [],
    dead: [String] = [], parked: [String] = [], inflight: Int = 0
  ) -> Bool {
    self.ready == ready && self.delayed == delayed && self.chunks == chunks
      && self.suspects == suspects && self.dead == dead && self.parked == parked
      && sandboxParked.isEmpty && self.inflight == inflight
  }
}

extension QueueSettings {
  /// For hundreds of round trips without a beat, on a machine that may be busy.
  static var unhurried: QueueSettings {
    var settings = QueueSettings()
    settings.lease = .seconds(600)
    return settings
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

/// Also of a dead letter that waits for room.
func withoutHeader(_ item: [UInt8]) -> String {
  if item.starts(with: Array("~0;".utf8)), let line = item.firstIndex(of: 10) {
    return String(decoding: item[(line + 1)...], as: UTF8.self)
  }
  return String(decoding: ItemHeader.split(item)?.bytes ?? item, as: UTF8.self)
}

let parkedCredential = CredentialKey(app: "chat", provider: .apns)
let sandboxCredential = CredentialKey(app: "chat", provider: .apns, environment: .sandbox)

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

  func takeAndLoseAnswer(_ queue: any JobQueue, _ order: TakeOrder) async throws {
    let queue = try #require(queue as? InMemoryQueue)
    queue.fault = { _ in .after }
    await #expect(throws: QueueError.self) { try await queue.take(order) }
    queue.fault = { _ in nil }
  }

  func popDead() { store.with { if !$0.dead.isEmpty { $0.dead.removeFirst() } } }

  func purge(_ letters: [String]) -> Int {
    store.with { content in
      let purged = content.takeLetters(letters.map { Array($0.utf8) }).count
      content.count(QueueCounter.deadPurged, purged)
      return purged
    }
  }

  func retry(_ letter: String, as event: String) -> Int {
    let now = clock.wall()
    return store.with { content in
      let taken = content.takeLetters([Array(letter.utf8)]).count
      guard taken == 1 else { return 0 }
      let header = ItemHeader(id: .written(event), firstTaken: now, replays: 1)
      content.ready.append(.init(header, Array(event.utf8)))
      content.count(QueueCounter.retried + "rejected")
      return 1
    }
  }

  func stored() -> Stored {
    func texts(_ items: [[UInt8]]) -> [String] { items.map(withoutHeader) }
    var stored = Stored(
      ready: texts(store.ready), delayed: texts(store.delayed.map(\.bytes)),
      chunks: texts(store.chunks), suspects: texts(store.suspects), dead: texts(store.dead),
      invalid: texts(store.invalid), held: texts(store.held),
      parked: texts(store.parked(parkedCredential)),
      sandboxParked: texts(store.parked(sandboxCredential)), receipts: store.receipts,
      counters: store.counters.filter { $0.value != 0 })
    stored.taken = store.with { content in
      content.instances.values.flatMap { $0.items.values.map { texts([$0.bytes])[0] } }.sorted()
    }
    return stored
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

  /// Another client under the same name takes with the receipts that `queue` believes it uses.
  func takeAndLoseAnswer(_ queue: any JobQueue, _ order: TakeOrder) async throws {
    let queue = try #require(queue as? RedisQueue)
    let ghost = try #require(try instance(queue.instance, queue.settings) as? RedisQueue)
    ghost.book = queue.book
    _ = try? await ghost.take(order)
    // A client that has not heard of the server's clock counts on from the last receipt.
    queue.book.endTake(queue.book.beginTake(order.want, at: 0))
  }

  func purge(_ letters: [String]) async throws -> Int {
    try await QueueInspector(name, admin).purgeDead(letters.map { Array($0.utf8) })
  }

  func retry(_ letter: String, as event: String) async throws -> Int {
    let retry = DeadRetry(
      letter: Array(letter.utf8), reason: "rejected", id: event, replays: 1,
      event: Array(event.utf8))
    return try await QueueInspector(name, admin).retryDead([retry])
  }

  func popDead() async throws { try await call("LPOP", keys.dead) }

  private func list(_ verb: String, _ key: String) async throws -> [String] {
    try await call(verb, key, "0", "-1").array?.compactMap(\.text) ?? []
  }

  /// All of the queue at one moment.
  private static let dump = """
    local taken = {}
    for _, key in ipairs(redis.call('KEYS', ARGV[1])) do
      local fields = redis.call('HGETALL', key)
      for i = 1, #fields, 2 do
        if tonumber(fields[i]) then taken[#taken + 1] = fields[i + 1] end
      end
    end
    local all = {}
    for i = 1, 8 do all[i] = redis.call('LRANGE', KEYS[i], 0, -1) end
    all[9] = redis.call('ZRANGE', KEYS[9], 0, -1)
    all[10] = taken
    all[11] = redis.call('XRANGE', KEYS[10], '-', '+')
    all[12] = redis.call('HGETALL', KEYS[11])
    return all
    """

  func stored() async throws -> Stored {
    let lists = [
      keys.ready, keys.chunks, keys.suspects, keys.dead, keys.invalid, keys.held,
      keys.parked(parkedCredential), keys.parked(sandboxCredential),
    ]
    var command = RedisCommand("EVAL", Self.dump, "11")
    for key in lists + [keys.delayed, keys.receipts, keys.counters] { command.append(key) }
    command.append(keys.inflight("*"))
    let all = try await admin.call(command).get().array ?? []
    func texts(_ place: Int) -> [String] {
      all[place].array?.compactMap(\.bytes).map(withoutHeader) ?? []
    }
    var stored = Stored(
      ready: texts(0), delayed: texts(8), chunks: texts(1), suspects: texts(2), dead: texts(3),
      invalid: texts(4), held: texts(5), parked: texts(6), sandboxParked: texts(7))
    stored.taken = texts(9).sorted()
    for entry in all[10].array ?? [] {
      let words = entry.array?.last?.array?.compactMap(\.text) ?? []
      var receipt = TargetReceipt()
      for index in stride(from: 0, to: words.count, by: 2) {
        receipt.add(words[index], words[index + 1])
      }
      stored.receipts.append(receipt)
    }
    let counters = all[11].array?.compactMap(\.text) ?? []
    for index in stride(from: 0, to: counters.count, by: 2) where counters[index + 1] != "0" {
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
