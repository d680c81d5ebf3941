import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// What `JobQueue` promises about the end of items, for both conformers.
@Suite(.redis) struct SettleConformanceTests {
  @Test(arguments: QueueKind.allCases) func `a settled item is gone and is settled once`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two", "three")
      let batch = try await queue.take(3)
      let all = batch.receipts.map { Settlement($0) }
      #expect(try await queue.settle(Array(all[0...1])) == [true, true])
      #expect(try await queue.settle(all) == [false, false, true])
      #expect(try await queue.settle([]) == [])
      let stored = try await stage.stored()
      #expect(stored.isOnly())
      #expect(stored.counters[QueueCounter.fenced] == 2)
    }
  }

  @Test(arguments: QueueKind.allCases) func `an item leaves everything in one step`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("{\"one\":1}")
      let item = try await queue.take(1).items[0]
      let leaves = [
        try await stage.again(item, after: .seconds(1), done: [0, 70]),
        .deadLetter(.rejected, Array("letter".utf8)),
        .invalidToken(Array("token".utf8)), .heldToken(Array("brake".utf8)),
        .parked(parkedCredential, item.header),
      ]
      #expect(try await queue.settle([Settlement(item.receipt, leaves)]) == [true])
      let stored = try await stage.stored()
      #expect(
        stored.isOnly(delayed: ["{\"one\":1}"], dead: ["letter"], parked: ["{\"one\":1}"]))
      #expect(stored.invalid == ["token"] && stored.held == ["brake"])
      #expect(stored.counters["dead:rejected"] == 1)

      try await stage.pass(.seconds(2))
      let again = try await queue.take(1).items[0]
      #expect(again.text == "{\"one\":1}")
      #expect(again.header.id == item.header.id)
      #expect(again.header.firstTaken == item.header.firstTaken)
      #expect(again.header.attempt == 1)
      #expect(again.header.done.contains(0) && again.header.done.contains(70))
      #expect(again.header.done.count == 2)
    }
  }

  @Test(arguments: QueueKind.allCases) func `receipts are written with the end, once`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one")
      let item = try await queue.take(1).items[0]
      var first = TargetReceipt()
      first.add("event", "e1")
      first.add("target", "한글 \n,1\r")
      var second = TargetReceipt()
      second.add("outcome", "accepted")
      second.add("status", 200)
      second.add("traceparent", "")
      let step = ItemProgress(
        item.receipt, done: TargetSet(all: 1), leaves: [.receipt(first), .receipt(second)])
      #expect(try await queue.progress(step))
      let end = Settlement(
        item.receipt, [.parked(parkedCredential, item.header), .receipt(first)])
      #expect(try await queue.settle([end, end]) == [true, false])
      let stored = try await stage.stored()
      #expect(stored.receipts == [first, second, first])
      #expect(stored.receipts[1].fields.map(\.name) == ["outcome", "status"])
      #expect(stored.parked == ["one"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `receipts are bounded`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      var settings = QueueSettings()
      settings.receiptsMax = 200
      let queue = try await stage.worker("a", settings)
      try await stage.push("one")
      let item = try await queue.take(1).items[0]
      let receipts = (0..<900).map { number in
        var receipt = TargetReceipt()
        receipt.add("event", Int64(number))
        return Leaving.receipt(receipt)
      }
      #expect(try await queue.settle([Settlement(item.receipt, receipts)]) == [true])
      let stored = try await stage.stored().receipts
      // Redis lets go of whole blocks of a hundred.
      #expect((200...300).contains(stored.count))
      #expect(stored.last?.fields.first?.value == "899")
    }
  }

  @Test(arguments: QueueKind.allCases) func `many settlements of all kinds keep their order`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 600)
      let items = try await queue.take(600).items
      #expect(items.count == 600)
      _ = try await queue.settle([Settlement(items[7].receipt), Settlement(items[500].receipt)])
      let settlements = items.map { item in
        let number = Int(item.text.dropFirst()) ?? 0
        return number % 3 == 0
          ? Settlement(item.receipt, [.deadLetter(.expired, Array(item.text.utf8))])
          : Settlement(item.receipt)
      }
      let answers = try await queue.settle(settlements)
      #expect(answers.indices.filter { !answers[$0] } == [7, 500])
      let stored = try await stage.stored()
      #expect(stored.dead == stride(from: 0, to: 600, by: 3).map { "e\($0)" })
      #expect(stored.inflight == 0)
    }
  }

  @Test(arguments: QueueKind.allCases) func `settle and take in one`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 4)
      let first = await queue.settleAndTake([], want: 2)
      let batch = try first.taken.get()
      #expect(try first.settled.get().isEmpty)
      #expect(batch.texts == ["e0", "e1"])
      let both = await queue.settleAndTake(batch.receipts.map { Settlement($0) }, want: 5)
      #expect(try both.settled.get() == [true, true])
      #expect(try both.taken.get().texts == ["e2", "e3"])
      #expect(try await stage.stored().isOnly(inflight: 2))
    }
  }

  @Test(arguments: QueueKind.allCases) func `what was recovered cannot be settled by its old owner`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let old = try await stage.worker("a")
      let other = try await stage.worker("b")
      try await stage.push("one", "two", "three")
      let items = try await old.take(3).items
      try await stage.pass(.seconds(8))
      _ = try await other.beat(InstanceStatus())
      #expect(try await other.recover() == 0, "the lease still holds")
      try await stage.pass(.seconds(5))
      #expect(try await other.recover() == 3)
      #expect(try await other.recover() == 0)

      let retry = Settlement(items[1].receipt, [try await stage.again(items[1], after: .zero)])
      let letter = Settlement(items[2].receipt, [.deadLetter(.rejected, [1])])
      #expect(
        try await old.settle([Settlement(items[0].receipt), retry, letter])
          == [false, false, false])
      #expect(
        try await old.progress(
          ItemProgress(items[0].receipt, done: TargetSet(all: 1), leaves: [.invalidToken([1])]))
          == false)
      #expect(try await stage.stored().isOnly(ready: ["one", "two", "three"]))
      #expect(try await stage.stored().invalid.isEmpty)

      let taken = try await other.take(3)
      #expect(taken.texts == ["one", "two", "three"], "in their order, at the head")
      #expect(taken.items.map(\.header.id) == items.map(\.header.id))
      #expect(taken.items.allSatisfy { $0.header.crashes == 1 })
      #expect(try await stage.stored().counters[QueueCounter.recovered] == 3)
    }
  }

  @Test(arguments: QueueKind.allCases) func `items given back are the next, unspent`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 5)
      let items = try await queue.take(4).items
      try await queue.putBack([items[1].receipt, items[2].receipt])
      try await queue.putBack([items[1].receipt])  // not ours any more
      #expect(try await stage.stored().isOnly(ready: ["e1", "e2", "e4"], inflight: 2))
      let again = try await queue.take(2).items
      #expect(again.map(\.header) == [items[1].header, items[2].header])
      #expect(again.map(\.text) == ["e1", "e2"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `a clean end hands everything back`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push(count: 1_203)
      var taken = 0
      while taken < 1_202 { taken += try await queue.take(min(601, 1_202 - taken)).items.count }
      try await queue.release()
      let stored = try await stage.stored()
      #expect(stored.ready == (0..<1_203).map { "e\($0)" })
      #expect(stored.inflight == 0)
      #expect(queue.startDeadline == .min)
      let next = try await stage.worker("b")
      #expect(try await next.take(1).items[0].header.crashes == 0)
      let error = await #expect(throws: QueueError.self) { try await queue.take(1) }
      #expect(error?.code == .fenced)
    }
  }

  @Test(arguments: QueueKind.allCases) func `marks of progress and what they leave survive a crash`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let dying = try await stage.worker("a")
      try await stage.push("event", "other")
      let items = try await dying.take(2).items
      var done = TargetSet()
      done.insert(3)
      let first = ItemProgress(items[0].receipt, done: done, leaves: [.invalidToken([65])])
      #expect(try await dying.progress(first))
      done.insert(200)
      let retry = try await stage.again(items[0], after: .seconds(60), done: [1])
      #expect(
        try await dying.progress(
          ItemProgress(
            items[0].receipt, done: done, leaves: [.deadLetter(.rejected, [66]), retry])))
      #expect(try await stage.stored().inflight == 2)

      try await stage.pass(.seconds(13))
      let other = try await stage.worker("b")
      #expect(try await other.recover() == 2)
      let again = try await other.take(2).items
      #expect(again.map(\.text) == ["event", "other"])
      #expect(again[0].header.done == done)
      #expect(again[0].header.crashes == 0, "it made progress")
      #expect(again[1].header.crashes == 1)
      let stored = try await stage.stored()
      #expect(stored.invalid == ["A"] && stored.dead == ["B"] && stored.delayed == ["event"])
      #expect(try await other.settle(again.map { Settlement($0.receipt) }) == [true, true])
      #expect(try await stage.stored().inflight == 0)
    }
  }

  @Test(arguments: QueueKind.allCases) func `an item with marks ends like any other`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker()
      try await stage.push("one", "two")
      let items = try await queue.take(2).items
      for item in items {
        #expect(try await queue.progress(ItemProgress(item.receipt, done: TargetSet(all: 2))))
      }
      #expect(try await queue.settle([Settlement(items[0].receipt)]) == [true])
      try await queue.putBack([items[1].receipt])
      let again = try await queue.take(1).items[0]
      #expect(again.header.done == TargetSet(all: 2))
      try await queue.release()
      let next = try await stage.worker("b")
      #expect(try await next.take(2).texts == ["two"])
    }
  }

  @Test(arguments: QueueKind.allCases) func `the feedback list drops its oldest and counts them`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      var settings = QueueSettings()
      settings.invalidMax = 3
      let queue = try await stage.worker("a", settings)
      try await stage.push("one")
      let item = try await queue.take(1).items[0]
      let records = (0..<5).map { Leaving.invalidToken(Array("t\($0)".utf8)) }
      _ = try await queue.settle([Settlement(item.receipt, records)])
      let stored = try await stage.stored()
      #expect(stored.invalid == ["t2", "t3", "t4"])
      #expect(stored.counters[QueueCounter.invalid] == 5)
      #expect(stored.counters[QueueCounter.invalidDropped] == 2)
    }
  }
}
