import PushModel
import PushQueue
import PushWorker
import SharedState
import TestSupport
import Testing

private typealias Harness = ShardHarness

@Suite struct ShardTests {
  @Test func `each device of each event is sent once, and nothing is left`() async throws {
    try await Harness.run(Harness.Script { _, _ in Harness.accepted }) { it in
      for event in 0..<200 {
        it.push("e\(event)", [Harness.token(event * 2), Harness.token(event * 2 + 1)])
      }
      #expect(await it.drained())
      #expect(it.sent.all.count == 400)
      #expect(it.sent.all.values.allSatisfy { $0 == 1 })
      #expect(it.letters.isEmpty)
    }
  }

  @Test func `only the device that failed is sent again`() async throws {
    let bad = Harness.token(7)
    try await Harness.run(
      Harness.Script { request, times in
        String(decoding: request.deviceToken, as: UTF8.self) == bad && times == 1
          ? Harness.refused(503, "ServiceUnavailable", .retry(.server)) : Harness.accepted
      }
    ) { it in
      it.push("e", [Harness.token(1), bad, Harness.token(2)])
      #expect(await eventually(on: it.loop) { it.sent.all[bad] == 2 })
      #expect(await it.drained())
      #expect(it.sent.all == [bad: 2, Harness.token(1): 1, Harness.token(2): 1])
    }
  }

  @Test func `what the provider refuses becomes a letter with its words`() async throws {
    try await Harness.run(
      Harness.Script { _, _ in
        Harness.refused(400, "BadTopic", .deadLetter(.rejected))
      }
    ) { it in
      it.push("e", [Harness.token(1), Harness.token(2)])
      #expect(await it.drained())
      #expect(it.letters.count == 1)
      for part in [
        "\"id\":\"e\"", "\"reason\":\"rejected\"", "\"provider\":\"apns\"", "\"status\":400",
        "\"providerReason\":\"BadTopic\"", Harness.token(1), Harness.token(2),
      ] {
        #expect(it.letters[0].contains(part), "\(part)")
      }
    }
  }

  @Test func `an item that ended six workers is buried and the next is sent`() async throws {
    try await Harness.run(Harness.Script { _, _ in Harness.accepted }) { it in
      let crashes = ItemHeader.poisonCrashes
      it.store.push(Array("~1;id=x;a=0;c=\(crashes);t0=0;r=0;done=0\n{\"deadly\":1}".utf8))
      it.push("e", [Harness.token(1)])
      #expect(await it.drained())
      #expect(it.letters.count == 1)
      #expect(it.letters[0].contains("\"reason\":\"poison\""))
      #expect(it.letters[0].contains("\"event\":{\"deadly\":1}"))
      #expect(it.sent.all == [Harness.token(1): 1])
    }
  }

  @Test func `a dead token is fed back, and is no letter`() async throws {
    try await Harness.run(
      Harness.Script { _, _ in
        Harness.refused(
          410, "Unregistered",
          .invalidToken(.init(guarded: false, unregisteredAt: 1_469_425_701_606)))
      }
    ) { it in
      it.push("e", [Harness.token(1)])
      #expect(await it.drained())
      #expect(it.letters.isEmpty)
      let records = it.store.invalid.map { String(decoding: $0, as: UTF8.self) }
      #expect(records.count == 1)
      #expect(records[0].contains("\"reason\":\"Unregistered\""))
      #expect(records[0].contains("\"unregisteredAt\":1469425701606"))
    }
  }

  @Test func `bad items become letters and the events around them are delivered`() async throws {
    try await Harness.run(Harness.Script { _, _ in Harness.accepted }) { it in
      it.push("a", [Harness.token(1)])
      it.store.push(Array("not json".utf8))
      it.store.push(Array("{\"devices\":[]}".utf8))
      it.push("b", [Harness.token(2)], extra: "\"badge\":\"3\",")
      it.push("c", [Harness.token(3), "\(Harness.token(4))0"])
      #expect(await it.drained())
      #expect(it.sent.all.keys.sorted() == [Harness.token(1), Harness.token(3)])
      #expect(it.letters.count == 4)
      #expect(it.letters.contains { $0.contains("invalid_json") && $0.contains("bm90IGpzb24=") })
      #expect(it.letters.contains { $0.contains("invalid_event") && $0.contains("badge") })
      #expect(it.letters.contains { $0.contains("\"type\"") || $0.contains("type:") })
      #expect(
        it.letters.contains {
          $0.contains("devices[1].token") && $0.contains("\(Harness.token(4))0")
        })
    }
  }

  @Test func `an expired message is not sent`() async throws {
    try await Harness.run(Harness.Script { _, _ in Harness.accepted }) { it in
      it.push("old", [Harness.token(1)], extra: "\"sentAt\":1600000000,")
      #expect(await it.drained())
      #expect(it.sent.all.isEmpty)
      #expect(it.letters.count == 1)
      #expect(it.letters[0].contains("\"reason\":\"expired\""))
    }
  }

  @Test func `a scheduled event waits for its moment`() async throws {
    let moment = SystemClock().wall() / 1_000 + 3_600
    try await Harness.run(Harness.Script { _, _ in Harness.accepted }) { it in
      it.push("later", [Harness.token(1)], extra: "\"notBefore\":\(moment),")
      #expect(
        await eventually(on: it.loop) { it.store.delayed.count == 1 && it.store.inflight == 0 })
      #expect(it.sent.all.isEmpty)
      #expect(abs(it.store.delayed[0].due - moment * 1_000) < 1_000)
    }
  }

  @Test func `an outage spends no attempt and the push arrives in the end`() async throws {
    try await Harness.run(
      Harness.Script { _, times in
        times < 3 ? .neverSent(SendTrouble(.noConnection, "refused")) : Harness.accepted
      }
    ) { it in
      it.push("e", [Harness.token(1)])
      #expect(await eventually(on: it.loop) { it.sent.all[Harness.token(1)] == 3 })
      #expect(await it.drained())
      #expect(it.letters.isEmpty)
    }
  }

  @Test func `an event of 150 devices is written in steps and every device is sent once`()
    async throws
  {
    try await Harness.run(workers: 16, Harness.Script { _, _ in Harness.accepted }) { it in
      it.push("large", (0..<150).map { Harness.token($0) })
      #expect(await it.drained())
      #expect(it.sent.all.count == 150)
      #expect(it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }

  @Test(arguments: ["take", "settle"])
  func `a lost answer of Redis loses no push and leaves nothing behind`(call: String) async throws {
    try await Harness.run(losesFirstAnswerOf: call, Harness.Script { _, _ in Harness.accepted }) {
      it in
      for event in 0..<20 { it.push("e\(event)", [Harness.token(event)]) }
      #expect(await eventually(on: it.loop) { it.sent.all.count == 20 })
      #expect(await it.drained())
      #expect(it.sent.all.values.allSatisfy { $0 == 1 })
    }
  }
}
