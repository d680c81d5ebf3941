import PushModel
import PushQueue
import PushWorker
import Testing

private typealias Harness = ShardHarness

@Suite struct ReceiptTests {
  private static let script = Harness.Script { request, times in
    switch String(decoding: request.deviceToken, as: UTF8.self) {
    case Harness.token(2) where times == 1:
      Harness.refused(503, "ServiceUnavailable", .retry(.server))
    case Harness.token(3): Harness.refused(400, "BadTopic", .deadLetter(.rejected))
    case Harness.token(4):
      Harness.refused(410, "Unregistered", .invalidToken(.init(guarded: false)))
    default: .answered(Answer(status: 200, messageName: "unique"), .accepted)
    }
  }

  /// Never sent: an odd number of digits.
  private static let odd = Harness.token(5) + "0"

  private static func values(_ receipt: TargetReceipt) -> [String: String] {
    Dictionary(receipt.fields.map { ($0.name, $0.value) }) { first, _ in first }
  }

  @Test func `every target leaves one receipt, at its end`() async throws {
    try await Harness.run(receipts: true, Self.script) { it in
      it.push(
        "e", (1...4).map(Harness.token) + [Self.odd], extra: #""traceparent":"00-1-2-01","#)
      #expect(await it.drained())
      let receipts = it.store.receipts.map(Self.values)
      #expect(receipts.count == 5)
      let byTarget = Dictionary(uniqueKeysWithValues: receipts.map { ($0["target"] ?? "", $0) })
      #expect(receipts.allSatisfy { $0["event"] == "e" && $0["traceparent"] == "00-1-2-01" })
      #expect(receipts.allSatisfy { Int($0["queuedMs"] ?? "").map { $0 >= 0 } == true })
      let expected = [
        Harness.token(1): ("accepted", "200", "1"), Harness.token(2): ("accepted", "200", "2"),
        Harness.token(3): ("dead", "400", "1"), Harness.token(4): ("invalid_token", "410", "1"),
      ]
      for (token, (outcome, status, attempts)) in expected {
        let receipt = byTarget[token]
        #expect(receipt?["provider"] == "apns" && receipt?["outcome"] == outcome)
        #expect(receipt?["status"] == status && receipt?["attempts"] == attempts)
        #expect(receipt?["apnsId"]?.utf8.count == 36 && receipt?["sentMs"] != nil)
      }
      #expect(byTarget[Harness.token(1)]?["apnsUniqueId"] == "unique")
      let unsent = try #require(byTarget[Self.odd])
      #expect(unsent["outcome"] == "dead" && unsent["attempts"] == "0", "\(unsent)")
      #expect(unsent["status"] == nil && unsent["sentMs"] == nil)
    }
  }

  @Test func `without the setting nothing is written`() async throws {
    try await Harness.run(Self.script) { it in
      it.push("e", (1...4).map(Harness.token))
      #expect(await it.drained())
      #expect(it.store.receipts.isEmpty)
    }
  }
}
