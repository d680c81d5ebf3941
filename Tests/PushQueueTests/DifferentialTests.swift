import Glibc
import LoopIO
import PushModel
import PushWorker
import RedisClient
import TestSupport
import Testing

@testable import PushQueue

/// The scripts against the model: the same random steps on both conformers must answer alike and
/// leave the same state after each step, and in it the books must balance.
///
/// `ALLIM_TEST_STEPS` asks for more steps, `ALLIM_TEST_SEED` for others than the usual ones.
@Suite(.redis) struct DifferentialTests {
  private static let stepsOfARun = 150

  private static func number(_ variable: String) -> UInt64? {
    unsafe getenv(variable).flatMap { unsafe UInt64(String(cString: $0)) }
  }

  @Test func `random steps end alike in memory and in Redis`() async throws {
    let url = try redis().url
    let first = Self.number("ALLIM_TEST_SEED") ?? 1
    let runs = (Self.number("ALLIM_TEST_STEPS") ?? 1_800) / UInt64(Self.stepsOfARun)
    for seed in first..<(first + max(1, runs)) {
      let trouble = try await onLoop { loop in try await Self.run(seed, loop, url) }
      guard let trouble else { continue }
      Issue.record("ALLIM_TEST_SEED=\(seed): \(trouble)")
      return
    }
  }

  /// What went wrong; nil = nothing.
  private static func run(_ seed: UInt64, _ loop: Loop, _ url: RedisURL) async throws -> String? {
    let memory = try await ModelSide(MemoryStage(loop), seed)
    let stage = try RedisStage(loop, url)
    let real = try await ModelSide(stage, seed)
    var random = SeededRandom(seed: seed)
    var time: Int64 = 0
    for step in 0..<stepsOfARun {
      var copy = random
      // No two moments are in the same millisecond, here and there.
      memory.stage.clock.advance(.milliseconds(1))
      while try await stage.serverTime() == time { try await loop.sleep(.milliseconds(1)) }
      time = try await stage.serverTime()
      let expected = try await memory.step(&random)
      let found = try await real.step(&copy)
      let model = try await memory.stage.stored()
      let stored = try await stage.stored()
      guard expected == found, stored == model else {
        return "step \(step): \(expected) / \(found)\n\(model)\n\(stored)"
      }
      if let fault = real.ledger.fault(of: stored) { return "step \(step), \(found): \(fault)" }
    }
    let left = try await real.drain()
    _ = await stage.admin.call(RedisCommand("FLUSHDB"))
    return left
  }
}
