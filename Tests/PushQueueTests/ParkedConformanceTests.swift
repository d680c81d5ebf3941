import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises about parked items, for both conformers.
@Suite(.redis) struct ParkedConformanceTests {
  /// The sum of parked time as it stands in the list.
  private static let since: Int64 = -1_764_489_600_123

  /// Parks `count` events of the credential, named `p0`, `p1` ...
  private func park(_ count: Int, on stage: any QueueStage, by queue: any JobQueue) async throws {
    for number in 0..<count { try await stage.push("p\(number)") }
    let items = try await queue.take(count).items
    _ = try await queue.settle(
      items.map { item in
        var header = item.header
        header.parked = Self.since
        return Settlement(item.receipt, [.parked(parkedCredential, header)])
      })
  }

  @Test(arguments: QueueKind.allCases) func `parked items are taken when they are asked for`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await park(3, on: stage, by: queue)
      try await stage.push("fresh")
      let without = try await queue.take(10)
      #expect(without.texts == ["fresh"] && without.parked.isEmpty)
      let looking = try await queue.take(TakeOrder(10, parked: [.init(parkedCredential, most: 0)]))
      #expect(looking.items.isEmpty && looking.parked == [3])
      let probe = try await queue.take(TakeOrder(10, parked: [.init(parkedCredential, most: 1)]))
      #expect(probe.texts == ["p0"] && probe.parked == [2])
      #expect(probe.items[0].header.attempt == 0)
      #expect(probe.items[0].header.parked == Self.since)
      let rest = try await queue.take(TakeOrder(10, parked: [.init(parkedCredential, most: 9)]))
      #expect(rest.texts == ["p1", "p2"] && rest.parked == [0])
      #expect(try await stage.stored().isOnly(inflight: 4))
      #expect(try await stage.stored().counters[QueueCounter.taken] == 4, "fresh ones only")
    }
  }

  @Test(arguments: QueueKind.allCases) func `parked items come after retries, before fresh ones`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await park(4, on: stage, by: queue)
      try await stage.push("r0", "r1", "r2")
      for item in try await queue.take(3).items {
        _ = try await queue.settle([
          Settlement(item.receipt, [try await stage.again(item, after: .zero)])
        ])
      }
      try await stage.pass(.seconds(1))
      try await stage.push(count: 9)
      let other = CredentialKey(app: "shop", provider: .fcm)
      let order = TakeOrder(8, parked: [.init(other, most: 5), .init(parkedCredential, most: 3)])
      let batch = try await queue.take(order)
      #expect(Set(batch.texts[0..<2]).isSubset(of: ["r0", "r1", "r2"]), "a quarter")
      #expect(Array(batch.texts[2...]) == ["p0", "p1", "p2", "e0", "e1", "e2"])
      #expect(batch.parked == [0, 1])
    }
  }

  @Test(arguments: QueueKind.allCases) func `waiting retries leave room for parked items`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await park(8, on: stage, by: queue)
      try await stage.push(count: 8)
      for item in try await queue.take(8).items {
        _ = try await queue.settle([
          Settlement(item.receipt, [try await stage.again(item, after: .zero)])
        ])
      }
      try await stage.pass(.seconds(1))
      let batch = try await queue.take(TakeOrder(4, parked: [.init(parkedCredential, most: 8)]))
      #expect(batch.items.map(\.header.attempt) == [1, 0, 0, 0], "though the list is empty")
      #expect(batch.parked == [5])
    }
  }

  @Test(arguments: QueueKind.allCases) func `a parked item goes back to the head of the list`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await park(3, on: stage, by: queue)
      try await stage.push("fresh")
      let order = TakeOrder(2, parked: [.init(parkedCredential, most: 2)])
      let items = try await queue.take(order).items
      #expect(items.map(\.text) == ["p0", "p1"])
      try await queue.putBack([items[0].receipt])
      #expect(
        try await stage.stored().isOnly(ready: ["p0", "fresh"], parked: ["p2"], inflight: 1))
      try await queue.release()
      #expect(try await stage.stored().isOnly(ready: ["p1", "p0", "fresh"], parked: ["p2"]))
    }
  }

  @Test(arguments: QueueKind.allCases) func `a paused queue tells lengths and gives nothing`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await park(2, on: stage, by: queue)
      try await stage.set(ControlField.paused, "1")
      let batch = try await queue.take(TakeOrder(5, parked: [.init(parkedCredential, most: 5)]))
      #expect(batch.items.isEmpty && batch.parked == [2])
    }
  }
}
