import LoopIO
import RedisClient
import TestSupport
import Testing

/// A worker of several lists of a cluster, with a producer that counts an event as pushed when a
/// replica has it too: then a lost master loses none.
final class ClusterStage {
  private let loop: Loop
  private let simulator: RunningSimulator
  private let worker: RunningWorker
  private let producers: [(queue: String, client: RedisClient)]
  private var pushed = 0

  init(on loop: Loop, _ cluster: RedisCluster, _ queues: [String]) async throws {
    self.loop = loop
    simulator = try await RunningSimulator(on: loop)
    let lists = queues.map { "  - {name: \"\($0)\", lease: 4s}\n" }.joined()
    let configuration = simulator.folder.file("sim/cluster.yaml")
    write(
      (read(simulator.configuration) ?? []) + Array("\nqueues:\n\(lists)".utf8),
      to: configuration)
    let url = try cluster.url
    producers = queues.map { ($0, RedisClient(url, key: $0, on: loop)) }
    worker = try RunningWorker(on: loop, configuration: configuration, redis: cluster.text)
  }

  /// Pushes events to the lists in turn until each is acknowledged.
  func push(_ count: Int, replicated: Bool = true) async throws {
    for _ in 0..<count {
      let (queue, client) = producers[pushed % producers.count]
      let event = Self.event(pushed)
      pushed += 1
      let isPushed = await eventually(on: loop) {
        guard case .integer = await client.call(RedisCommand("RPUSH", queue, event)) else {
          return false
        }
        if !replicated { return true }
        return await client.call(RedisCommand("WAIT", "1", "1000")) != .integer(0)
      }
      try #require(isPushed, "an event could not be pushed")
    }
  }

  func allAreAccepted() async -> Bool {
    await eventually(on: loop) {
      let accepted = simulator.accepted()
      return (0..<pushed).allSatisfy { accepted[Self.token($0)] != nil }
    }
  }

  /// Nothing is left in any list, nor with anyone.
  func isDrained() async -> Bool {
    for (queue, client) in producers {
      let prefix = queue.contains("{") ? queue : "{\(queue)}"
      guard await client.call(RedisCommand("LLEN", queue)) == .integer(0),
        await client.call(RedisCommand("ZCARD", prefix + ":delayed")) == .integer(0)
      else { return false }
      let leases = RedisCommand("ZRANGE", prefix + ":leases", "0", "-1")
      let owners = await client.call(leases).array?.compactMap(\.text) ?? []
      for owner in owners {
        let held = RedisCommand("HLEN", "\(prefix):inflight:\(owner)")
        guard await client.call(held) == .integer(0) else { return false }
      }
      if owners.isEmpty { return false }
    }
    return true
  }

  func stop() async {
    #expect(await worker.stop() == ExitStatus())
    await simulator.stop()
    for (_, client) in producers { client.close() }
  }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "b" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"c\(number)\",\"type\":\"message\",\"room\":{\"id\":1,\"name\":\"Team\"},"
      + "\"message\":{\"id\":\(number),\"text\":\"hello\"},"
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }
}
