import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// Numbered events and a ledger of what was acknowledged: whatever dies and whenever, each number is
/// acknowledged at least once, and in the end nothing is left.
@Suite struct NothingLostTests {
  /// One worker that is let go without a word when it "dies".
  private final class Worker {
    let queue: any JobQueue
    private var unsettled: [Settlement] = []
    private var mustJoin = true

    init(_ queue: any JobQueue) { self.queue = queue }

    /// One round: lease, reconcile after trouble, take, decide, settle. What a round does to each
    /// item is drawn at random; `delivered` is the ledger.
    func round(_ random: inout SplitMix, _ delivered: inout [String: Int], _ now: Int64) async {
      do {
        var items: [QueueItem] = []
        if mustJoin {
          try await queue.join()
          items = try await queue.reconcile()
          mustJoin = false
        }
        let both = await queue.settleAndTake(unsettled, want: 8)
        _ = try both.settled.get()
        unsettled = []
        items += try both.taken.get().items
        for item in items { await handle(item, &random, &delivered, now) }
        _ = try await queue.recover()
        if random.next() % 16 == 0 { _ = try await queue.reconcile() }
      } catch {
        mustJoin = true
      }
    }

    private func handle(
      _ item: QueueItem, _ random: inout SplitMix, _ delivered: inout [String: Int], _ now: Int64
    ) async {
      var header = item.header
      header.crashes = 0
      switch random.next() % 8 {
      case 0:
        header.attempt += 1
        unsettled.append(Settlement(item.receipt, [.again(at: now, header)]))
      case 1: try? await queue.putBack([item.receipt])
      case 2:
        header.done.insert(1)
        _ = try? await queue.progress(ItemProgress(item.receipt, done: header.done))
        fallthrough
      default:
        delivered[item.text, default: 0] += 1
        unsettled.append(Settlement(item.receipt))
      }
    }
  }

  /// The same numbers on every run with one seed.
  struct SplitMix {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  @Test(arguments: UInt64(1)...20)
  func `in memory, with answers lost and workers dying at any step`(
    _ seed: UInt64
  ) async throws {
    let clock = ManualClock()
    let store = InMemoryStore(clock: clock)
    let events = 300
    var random = SplitMix(state: seed)
    for number in 0..<events { store.push(Array("e\(number)".utf8)) }
    var delivered: [String: Int] = [:]
    var started = 0
    func newWorker() -> Worker {
      started += 1
      let queue = InMemoryQueue(instance: "w\(started)", store: store)
      var faults = SplitMix(state: seed &+ UInt64(started))
      queue.fault = { _ in
        switch faults.next() % 20 {
        case 0: .before
        case 1: .after
        default: nil
        }
      }
      return Worker(queue)
    }
    var workers = (0..<3).map { _ in newWorker() }
    for _ in 0..<4_000 where delivered.count < events || store.inflight > 0 {
      let number = Int(random.next() % 3)
      await workers[number].round(&random, &delivered, clock.wall())
      clock.advance(.milliseconds(200))
      if random.next() % 40 == 0 { workers[number] = newWorker() }
    }
    #expect(delivered.count == events)
  }

  @Test func `in Redis, with servers and workers killed at random`() async throws {
    let server = try await RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
    try await onLoop { loop in
      let run = try KillRun(server, loop)
      try await run.push(count: 1_500)
      try await run.work(for: .seconds(8))
      try await run.drain()
    }
    await server.stop()
  }

  /// Three workers, one server, kills of both.
  private final class KillRun {
    private struct Kills {
      var servers = 0
      var workers = 0
    }

    private let server: RedisServer
    private let loop: Loop
    private let stage: RedisStage
    private var workers: [Worker] = []
    private var random = SplitMix(state: .random(in: 0...(.max)))
    private var delivered: [String: Int] = [:]
    private var started = 0
    private var kills = Kills()
    private var events = 0

    init(_ server: RedisServer, _ loop: Loop) throws {
      self.server = server
      self.loop = loop
      stage = try RedisStage(loop, server.url)
      for _ in 0..<3 { workers.append(try newWorker()) }
    }

    private func newWorker() throws -> Worker {
      started += 1
      var settings = QueueSettings()
      settings.lease = .milliseconds(500)
      return Worker(try stage.instance("w\(started)", settings))
    }

    func push(count: Int) async throws {
      try await stage.push(count: count)
      events = count
    }

    func work(for duration: Duration) async throws {
      let end = ContinuousClock.now.advanced(by: duration)
      var nextKill = ContinuousClock.now
      while ContinuousClock.now < end || kills.servers < 3 || kills.workers < 3 {
        await turn()
        guard ContinuousClock.now > nextKill else { continue }
        nextKill = .now.advanced(by: .milliseconds(Int64(200 + random.next() % 500)))
        if random.next() % 2 == 0 {
          workers[Int(random.next() % 3)] = try newWorker()
          kills.workers += 1
        } else {
          await server.kill()
          try await server.start()
          kills.servers += 1
        }
      }
    }

    private func turn() async {
      let number = Int(random.next() % 3)
      let now = (try? await stage.serverTime()) ?? 0
      await workers[number].round(&random, &delivered, now)
    }

    /// Goes on without kills until nothing is left, and checks the books.
    func drain() async throws {
      let isDrained = try await eventually(within: .seconds(30), on: loop) {
        for _ in 0..<3 { await turn() }
        guard delivered.count == events else { return false }
        return try await stage.stored().isOnly()
      }
      #expect(isDrained)
      #expect(delivered.count == events, "lost: \(events - delivered.count)")
      let repeats = delivered.values.reduce(0) { $0 + $1 - 1 }
      // A worker holds at most 16 items, of which a kill can repeat what it had not settled.
      #expect(repeats <= (kills.workers + kills.servers) * 3 * 16)
    }
  }
}
