import LoopIO
import PushModel
import PushWorker
import TestSupport
import Testing

@testable import PushQueue

/// The same random steps on both conformers must leave the same state after each step.
@Suite(.redis) struct DifferentialTests {
  private struct SplitMix: RandomNumberGenerator {
    var state: UInt64
    mutating func next() -> UInt64 {
      state &+= 0x9E37_79B9_7F4A_7C15
      var mixed = state
      mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
      mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
      return mixed ^ (mixed >> 31)
    }
  }

  /// One side: a stage, its instances by number, and what each holds.
  private final class Side {
    let stage: any QueueStage
    private var queues: [any JobQueue] = []
    private var held: [[QueueItem]] = []
    private var started = 0

    init(_ stage: any QueueStage) async throws {
      self.stage = stage
      for _ in 0..<3 {
        queues.append(try await newQueue())
        held.append([])
      }
    }

    private func newQueue() async throws -> any JobQueue {
      started += 1
      // In Redis real time passes too: all moments of the test are minutes apart.
      var settings = QueueSettings()
      settings.lease = .seconds(1_200)
      return try await stage.worker("i\(1_000 + started)", settings)
    }

    /// What a step answered, for comparison.
    func step(_ random: inout SplitMix) async throws -> String {
      let number = Int.random(in: 0..<3, using: &random)
      let queue = queues[number]
      switch Int.random(in: 0..<13, using: &random) {
      case 0...1:
        let event = "e\(UInt32.random(in: 0...(.max), using: &random))"
        try await stage.push(event)
        return "push \(event)"
      case 2...4:
        var order = TakeOrder(Int.random(in: 1...4, using: &random))
        let most = Int.random(in: -1...2, using: &random)
        if most >= 0 { order.parked = [.init(parkedCredential, most: most)] }
        return try await take(queue, number, order)
      case 5...6: return try await settle(queue, number, &random)
      case 7:
        guard let item = held[number].popLast() else { return "-" }
        try await queue.putBack([item.receipt])
        return "put back \(item.text)"
      case 8:
        guard let item = held[number].last else { return "-" }
        let done = TargetSet(all: Int.random(in: 1...80, using: &random))
        return "progress \(try await queue.progress(ItemProgress(item.receipt, done: done)))"
      case 9:
        // It dies, and another starts.
        queues[number] = try await newQueue()
        held[number] = []
        return "died"
      case 10:
        try await stage.pass(.seconds(500))
        return "time passes"
      case 11: return try await split(queue, number, &random)
      default:
        let answer = await Result { try await queue.beat(InstanceStatus()).instances }
        if case .failure = answer { try await queue.join() }
        return "\(answer) \(try await queue.recover())"
      }
    }

    private func take(
      _ queue: any JobQueue, _ number: Int, _ order: TakeOrder
    ) async throws -> String {
      do throws(QueueError) {
        let batch = try await queue.take(order)
        held[number] += batch.items
        let headers = batch.items.map {
          "\($0.text) \($0.header.attempt) \($0.header.crashes) \($0.header.done.text)"
        }
        return "took \(headers) \(batch.news.instances) \(batch.nextDue == nil) \(batch.parked)"
      } catch {
        return "\(error.code)"
      }
    }

    private func split(
      _ queue: any JobQueue, _ number: Int, _ random: inout SplitMix
    ) async throws -> String {
      guard let item = held[number].last else { return "-" }
      var done = item.header.done
      done.insert(Int.random(in: 0..<8, using: &random))
      let chunks = (0..<Int.random(in: 1...3, using: &random)).map { part in
        SplitStep.Chunk(ItemHeader(id: "c", firstTaken: 1), item.bytes + [46, UInt8(48 + part)])
      }
      let isLast = Bool.random(using: &random)
      if isLast { held[number].removeLast() }
      let step = SplitStep(item.receipt, chunks, done: done, isLast: isLast)
      return "split \(item.text) \(try await queue.split(step))"
    }

    private func settle(
      _ queue: any JobQueue, _ number: Int, _ random: inout SplitMix
    ) async throws -> String {
      guard let item = held[number].popLast() else { return "-" }
      var leaves: [Leaving] = []
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let delay = Duration.seconds(250 + 500 * Int64.random(in: 0...4, using: &random))
        leaves.append(try await stage.again(item, after: delay, done: [1]))
      case 1: leaves.append(.deadLetter(.rejected, item.bytes))
      case 2: leaves.append(.invalidToken(item.bytes))
      case 3: leaves.append(.parked(parkedCredential, item.header))
      default: break
      }
      return "settled \(item.text) \(try await queue.settle([Settlement(item.receipt, leaves)]))"
    }
  }

  @Test(arguments: UInt64(1)...12) func `random steps end alike in memory and in Redis`(
    _ seed: UInt64
  ) async throws {
    let url = try redis().url
    try await onLoop { loop in
      let memory = try await Side(MemoryStage(loop))
      let real = try await Side(try RedisStage(loop, url))
      var random = SplitMix(state: seed)
      for step in 0..<150 {
        var copy = random
        // No two leases end in the same millisecond, as in Redis.
        memory.stage.clock.advance(.milliseconds(1))
        let expected = try await memory.step(&random)
        let found = try await real.step(&copy)
        let stored = try await real.stage.stored()
        let model = try await memory.stage.stored()
        guard expected == found, stored == model else {
          Issue.record("step \(step): \(expected) / \(found)\n\(model)\n\(stored)")
          return
        }
      }
    }
  }
}

extension Result where Failure == any Error {
  fileprivate init(_ body: () async throws -> Success) async {
    do { self = .success(try await body()) } catch { self = .failure(error) }
  }
}
