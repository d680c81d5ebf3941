import LoopIO
import RedisClient

/// The queue `push:messages` as a producer and an observer see it: plain commands, no code of ours.
final class TestQueue {
  private let connection: RedisConnection

  init(on loop: Loop, _ url: RedisURL) async throws {
    connection = try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(5))
  }

  private func call(_ words: String...) async -> RedisReply {
    var command = RedisCommand()
    for word in words { command.append(word) }
    return await connection.call(command, timeout: .seconds(10))
  }

  func push(_ events: [String], to list: String = "push:messages") async throws {
    for event in events { _ = try await call("RPUSH", list, event).get() }
  }

  /// All with one command: a worker has begun none before the last is there.
  func push(atOnce events: [String]) async throws {
    var command = RedisCommand("RPUSH", "push:messages")
    for event in events { command.append(event) }
    _ = try await connection.call(command, timeout: .seconds(10)).get()
  }

  /// A dead letter, as a worker files it.
  func file(_ letter: String) async throws {
    _ = try await call("RPUSH", "{push:messages}:dead", letter).get()
  }

  /// An item of any bytes.
  func push(bytes: [UInt8]) async throws {
    var command = RedisCommand("RPUSH", "push:messages")
    command.append(bytes)
    _ = try await connection.call(command, timeout: .seconds(10)).get()
  }

  /// Items of a list of the queue, such as `dead`, oldest first.
  func list(_ name: String) async -> [[UInt8]] {
    let reply = await call("LRANGE", "{push:messages}:\(name)", "0", "-1")
    return reply.array?.compactMap(\.bytes) ?? []
  }

  /// Entries of the stream of receipts.
  func receipts() async -> [[String: String]] {
    let entries = await call("XRANGE", "{push:messages}:receipts", "-", "+").array ?? []
    return entries.map { entry in
      let words = entry.array?.last?.array?.compactMap(\.text) ?? []
      var fields: [String: String] = [:]
      for at in stride(from: 0, to: words.count - 1, by: 2) { fields[words[at]] = words[at + 1] }
      return fields
    }
  }

  func letters() async -> [JSONView] { await list("dead").compactMap { JSONView($0) } }

  /// Items of the producers' list, each with the header of its first take if it had one.
  func ready() async -> [String] {
    await call("LRANGE", "push:messages", "0", "-1").array?.compactMap(\.text) ?? []
  }

  /// Instances that hold a lease.
  func instances() async -> [String] {
    await call("ZRANGE", "{push:messages}:leases", "0", "-1").array?.compactMap(\.text) ?? []
  }

  /// Nothing is ready, waits for a retry, is held by anyone, or is to be taken alone.
  func isDrained(besides lists: [String] = []) async -> Bool {
    guard await call("LLEN", "push:messages").integer == 0 else { return false }
    return await leftovers(besides: lists).isEmpty
  }

  /// Items in the list and those that wait for a retry.
  func waiting() async -> Int64 {
    await (call("LLEN", "push:messages").integer ?? 0)
      + (call("ZCARD", "{push:messages}:delayed").integer ?? 0)
  }

  /// Items that wait for a moment, each with it in milliseconds.
  func retries() async -> [String: String] {
    let words = await call("ZRANGE", "{push:messages}:delayed", "0", "-1", "WITHSCORES").array ?? []
    let texts = words.compactMap(\.text)
    var moments: [String: String] = [:]
    for at in stride(from: 0, to: texts.count - 1, by: 2) { moments[texts[at]] = texts[at + 1] }
    return moments
  }

  /// Items that instances hold.
  func held() async -> Int64 {
    let keys = await call("KEYS", "{push:messages}:inflight:*").array?.compactMap(\.text) ?? []
    var sum: Int64 = 0
    for key in keys { sum += await call("HLEN", key).integer ?? 0 }
    return sum
  }

  /// Keys that hold items anywhere but in the list; leases of the killed end by themselves.
  func leftovers(besides lists: [String] = []) async -> [String] {
    let keys = await call("KEYS", "{push:messages}:*").array?.compactMap(\.text) ?? []
    let harmless = [":counters", ":control", ":leases", ":instances"] + lists
    return keys.filter { key in !harmless.contains { key.hasSuffix($0) } }
  }
}
