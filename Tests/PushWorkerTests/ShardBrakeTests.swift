import LoopIO
import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

/// Tokens that a wrong setting may have condemned.
@Suite struct ShardBrakeTests {
  /// Every token with a number divisible by `part` looks dead.
  private static func refusing(oneIn part: Int) -> Harness.Script {
    Harness.Script { request, _ in
      let number = Int(String(decoding: request.deviceToken, as: UTF8.self), radix: 16) ?? 0
      return number.isMultiple(of: part)
        ? Harness.refused(400, "BadDeviceToken", .invalidToken(.init(guarded: true)))
        : Harness.accepted
    }
  }

  private func isOnce(_ sent: [String: Int], _ count: Int) -> Bool {
    sent.count == count && sent.values.allSatisfy { $0 == 1 }
  }

  @Test func `a large event with waiting tokens sends each device once`() async throws {
    try await Harness.run(workers: 32, Self.refusing(oneIn: 10)) { it in
      it.push("large", (0..<2_000).map(Harness.token))
      #expect(await eventually(on: it.loop) { it.sent.all.count == 2_000 })
      // Answers that prove the last of them right.
      it.push("others", (0..<60).map { Harness.token(2_001 + $0 * 10) })
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 2_060))
      #expect(it.store.invalid.count == 200)
      #expect(it.store.held.isEmpty)
    }
  }

  @Test func `too many are held, also those that tripped the brake`() async throws {
    try await Harness.run(workers: 8, Self.refusing(oneIn: 2)) { it in
      for event in 0..<40 { it.push("e\(event)", (0..<5).map { Harness.token(event * 5 + $0) }) }
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 200))
      #expect(it.store.held.count == 100)
      #expect(it.store.invalid.isEmpty)
    }
  }

  @Test func `a worker goes on taking while tokens wait`() async throws {
    try await Harness.run(workers: 1, Self.refusing(oneIn: 1_000)) { it in
      for event in 1...12 { it.push("dead\(event)", [Harness.token(event * 1_000)]) }
      for event in 1...25 { it.push("good\(event)", [Harness.token(event)]) }
      // If they kept their places, ten seconds would pass first.
      #expect(await eventually(within: .seconds(8), on: it.loop) { it.sent.all.count == 37 })
      #expect(it.store.invalid.isEmpty)
    }
  }

  @Test func `a stop does not wait, and repeats nothing`() async throws {
    let store = InMemoryStore(clock: SystemClock())
    let sent = Guarded<[String: Int]>([:])
    for instance in ["first", "second"] {
      var options = Harness.Options()
      options.store = store
      options.instance = instance
      try await Harness.run(options, Self.refusing(oneIn: 10)) { it in
        if instance == "first" {
          it.push("some", (0..<40).map(Harness.token))
          #expect(await eventually(on: it.loop) { it.sent.all.count == 40 })
          await it.shard.stop(grace: .seconds(5))
          #expect(store.inflight == 0 && store.ready.isEmpty)
        }
        #expect(await it.drained())
        let all = it.sent.all
        sent.withLock { $0.merge(all) { $0 + $1 } }
      }
    }
    #expect(isOnce(sent.withLock { $0 }, 40))
    #expect(store.invalid.count == 4)
  }
}
