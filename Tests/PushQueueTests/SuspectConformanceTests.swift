import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// How suspects are tested when many innocent items were at hand as instances fell, for both
/// conformers.
@Suite(.redis) struct SuspectConformanceTests {
  /// Two instances fall with all of it; what they held is suspect then.
  private func makeSuspects(on stage: any QueueStage, recoveredBy other: any JobQueue) async throws
  {
    for round in 0..<2 {
      let dying = try await stage.worker("x\(round)")
      while !(try await dying.take(256).items.isEmpty) {}
      try await stage.pass(.seconds(13))
      try await other.join()
      _ = try await other.recover()
    }
  }

  @Test(arguments: QueueKind.allCases) func `innocent suspects leave thirty-two at a time`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let queue = try await stage.worker("z")
      try await stage.push(count: 100)
      try await makeSuspects(on: stage, recoveredBy: queue)
      #expect(try await stage.stored().suspects.count == 100)
      var sizes: [Int] = []
      while true {
        let batch = try await queue.take(256)
        if batch.items.isEmpty { break }
        sizes.append(batch.items.count)
        #expect(try await queue.take(256).items.isEmpty, "nothing else meanwhile")
        let half = batch.receipts.count / 2
        _ = try await queue.settle(batch.receipts[..<half].map { Settlement($0) })
        #expect(try await queue.take(256).items.isEmpty, "nor while half of them are out")
        _ = try await queue.settle(batch.receipts[half...].map { Settlement($0) })
      }
      #expect(sizes == [32, 32, 32, 4])
      #expect(try await queue.take(3).items.isEmpty)
      #expect(try await stage.stored().isOnly())
    }
  }

  @Test(arguments: QueueKind.allCases) func `poison among them is found and nothing else dies`(
    _ kind: QueueKind
  ) async throws {
    try await onStage(kind) { stage in
      let other = try await stage.worker("z")
      try await stage.push(count: 40)
      try await stage.push("deadly")
      try await stage.push("e40", "e41")
      try await makeSuspects(on: stage, recoveredBy: other)
      var delivered: [String] = []
      var alone: [Int] = []
      var crashes = 2
      for round in 0..<60 where delivered.count < 43 {
        let tester = try await stage.worker("t\(round)")
        while true {
          let batch = try await tester.take(256)
          if batch.items.isEmpty { break }
          if batch.items[0].header.crashes >= ItemHeader.poisonCrashes {
            #expect(batch.texts == ["deadly"])
          } else if batch.texts.contains("deadly") {
            crashes += 1
            alone.append(batch.items.count)
            break
          }
          delivered += batch.texts
          _ = try await tester.settle(batch.receipts.map { Settlement($0) })
        }
        try await stage.pass(.seconds(13))
        try await other.join()
        _ = try await other.recover()
      }
      #expect(Set(delivered).count == 43 && delivered.count == 43)
      #expect(delivered.last == "deadly" || delivered.contains("deadly"))
      #expect(crashes == ItemHeader.poisonCrashes)
      #expect(alone.count == 4 && alone[0] <= 32 && alone[1...] == [1, 1, 1])
      #expect(try await stage.stored().isOnly())
    }
  }
}
