import LoopIO
import TestSupport
import Testing

private actor Counter {
  let loop: Loop
  private var value = 0
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  init(_ loop: Loop) { self.loop = loop }

  func add() -> Bool {
    value += 1
    return loop.isOwnThread
  }

  func total() -> Int { value }
}

private final class Ender: TurnEnd {
  var ended = 0
  func turnEnds() { ended += 1 }
}

@Suite struct LoopTests {
  @Test func `an actor on the loop runs on the loop's thread, whoever calls it`() async {
    let loop = Loop(name: "test")
    loop.start()
    let counter = Counter(loop)
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<8 {
        group.addTask {
          for _ in 0..<200 { #expect(await counter.add()) }
        }
      }
    }
    #expect(await counter.total() == 1_600)
    loop.stop()
  }

  @Test func `a task with the loop's preference stays on it across awaits`() async throws {
    let stayed = try await onLoop { loop in
      let before = loop.isOwnThread
      try await loop.sleep(.milliseconds(3))
      return before && loop.isOwnThread
    }
    #expect(stayed)
  }

  @Test func `the end of a turn comes once, after the turn's jobs`() async throws {
    let ended = try await onLoop { loop in
      let ender = Ender()
      loop.markDirty(ender)
      let early = ender.ended
      await Task.yield()
      try await loop.sleep(.milliseconds(1))
      return (early, ender.ended)
    }
    #expect(ended == (0, 1))
  }

  @Test func `a timer fires once, and not after cancel`() async throws {
    let fired = try await onLoop { loop in
      let counts = Ender()
      let first = LoopTimer(on: loop) { counts.turnEnds() }
      let second = LoopTimer(on: loop) { counts.turnEnds() }
      first.arm(after: .milliseconds(2))
      second.arm(after: .milliseconds(2))
      second.cancel()
      try await loop.sleep(.milliseconds(20))
      return counts.ended
    }
    #expect(fired == 1)
  }

  @Test func `a cancelled sleep ends at once`() async throws {
    let waited = try await onLoop { loop in
      let start = ContinuousClock.now
      let sleeper = Task(executorPreference: loop) { try await loop.sleep(.seconds(60)) }
      try await loop.sleep(.milliseconds(2))
      sleeper.cancel()
      let result = await sleeper.result
      #expect(throws: CancellationError.self) { try result.get() }
      return ContinuousClock.now - start
    }
    #expect(waited < .seconds(10))
  }

  @Test func `a sleep that is cancelled before it begins ends too`() async throws {
    try await onLoop { loop in
      let sleeper = Task(executorPreference: loop) {
        while !Task.isCancelled { await Task.yield() }
        try await loop.sleep(.seconds(60))
      }
      sleeper.cancel()
      _ = await sleeper.result
    }
  }
}
