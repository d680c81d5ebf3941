import LoopIO
import PushModel
import PushQueue
import SharedState
import TestSupport
import Testing

@testable import PushWorker

private typealias Harness = ShardHarness

@Suite struct ShardSplitTests {
  private static let accepting = Harness.Script { _, _ in Harness.accepted }

  private func isOnce(_ sent: [String: Int], _ count: Int) -> Bool {
    sent.count == count && sent.values.allSatisfy { $0 == 1 }
  }

  @Test func `a large event is split, and each device is sent once`() async throws {
    try await Harness.run(workers: 64, Self.accepting) { it in
      let splits = Guarded(0)
      it.queues.value[0].fault = {
        if "\($0)" == "split" { splits.withLock { $0 += 1 } }
        return nil
      }
      it.push("large", (0..<10_000).map(Harness.token) + ["\(Harness.token(1))0"])
      for event in 0..<20 { it.push("e\(event)", [Harness.token(20_000 + event)]) }
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 10_020))
      #expect(splits.withLock { $0 } == 2)
      // The faulty device has one letter, of its own.
      #expect(it.letters.count == 1 && it.letters[0].contains("devices[10000].token"))
    }
  }

  @Test func `of large events in one batch the first is decoded, the others wait as bytes`()
    async throws
  {
    try await Harness.run(workers: 64, Self.accepting) { it in
      let open = Guarded<[Int]>([])
      it.queues.value[0].fault = { [shard = it.shard] call in
        if "\(call)" == "split" {
          let count = shard.assumeIsolated { $0.feeds[0].open.count }
          open.withLock { $0.append(count) }
        }
        return nil
      }
      for event in 0..<3 {
        it.push("large\(event)", (0..<3_000).map { Harness.token(event * 3_000 + $0) })
      }
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 9_000))
      #expect(open.withLock { $0.first } == 1)
    }
  }

  @Test func `an event of many recipients is split too`() async throws {
    try await Harness.run(workers: 16, Self.accepting) { it in
      let recipients = (0..<700).map { user in
        "{\"user\":\"u\(user)\",\"devices\":["
          + "\(Harness.iphone(Harness.token(user * 2))),\(Harness.iphone(Harness.token(user * 2 + 1)))]}"
      }
      let event =
        "{\"type\":\"message\",\"message\":{\"id\":1,\"text\":\"hi\"},\"recipients\":["
        + recipients.joined(separator: ",") + "]}"
      it.store.push(Array(event.utf8))
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 1_400))
    }
  }

  @Test(arguments: ["split", "progress"])
  func `a lost answer while splitting doubles nothing`(call: String) async throws {
    try await Harness.run(workers: 16, losesFirstAnswerOf: call, Self.accepting) { it in
      it.push("large", (0..<7_000).map(Harness.token) + ["\(Harness.token(1))0"])
      #expect(await it.drained())
      #expect(isOnce(it.sent.all, 7_000))
      #expect(it.letters.count == 1)
    }
  }

  @Test func `what was not split when the worker stopped is split by the next`() async throws {
    let store = InMemoryStore(clock: SystemClock())
    let sent = Guarded<[String: Int]>([:])
    for instance in ["first", "second"] {
      var options = Harness.Options()
      options.store = store
      options.instance = instance
      options.workers = 32
      try await Harness.run(options, Self.accepting) { it in
        if instance == "first" {
          let isBegun = Guarded(false)
          it.queues.value[0].fault = { call in
            guard "\(call)" == "split" else { return nil }
            defer { isBegun.withLock { $0 = true } }
            return isBegun.withLock { $0 } ? .before : nil
          }
          it.push("large", (0..<6_500).map(Harness.token))
          #expect(await eventually(on: it.loop) { isBegun.withLock { $0 } })
          await it.shard.stop(grace: .seconds(5))
          #expect(store.inflight == 0)
        } else {
          #expect(await it.drained())
        }
        let all = it.sent.all
        sent.withLock { $0.merge(all) { $0 + $1 } }
      }
    }
    #expect(isOnce(sent.withLock { $0 }, 6_500))
  }
}
