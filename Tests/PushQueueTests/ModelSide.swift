import PushModel
import PushWorker
import TestSupport

@testable import PushQueue

/// One side of the comparison: a stage, its instances by number, what each holds, and the ledger.
final class ModelSide {
  let stage: any QueueStage
  private(set) var ledger = ModelLedger()
  private var queues: [any JobQueue] = []
  private var held: [[QueueItem]] = []
  private var started = 0
  private var letters = 0
  private var settings = QueueSettings()
  private var splits = 0
  private var retries = 0
  private static let credentials = [parkedCredential, sandboxCredential]

  init(_ stage: any QueueStage, _ seed: UInt64) async throws {
    self.stage = stage
    // In Redis real time passes too: all moments of the test are minutes apart.
    settings.lease = .seconds(1_200)
    settings.deadMax = 5
    settings.deadMaxBytes = 60
    settings.whenDeadFull = seed % 2 == 0 ? .park : .dropOldest
    settings.invalidMax = 4
    settings.receiptsMax = 1_000
    for _ in 0..<3 {
      queues.append(try await newQueue())
      held.append([])
    }
  }

  private func newQueue() async throws -> any JobQueue {
    started += 1
    return try await stage.worker("i\(1_000 + started)", settings)
  }

  /// What a step answered, for comparison.
  func step(_ random: inout SeededRandom) async throws -> String {
    let number = Int.random(in: 0..<3, using: &random)
    let queue = queues[number]
    switch Int.random(in: 0..<24, using: &random) {
    case 0..<4: return try await push(&random)
    case 4..<8: return try await take(queue, number, order(&random))
    case 8..<12: return try await settle(queue, number, &random)
    case 12: return try await putBack(queue, number)
    case 13, 14: return try await progress(queue, number, &random)
    case 15: return try await split(queue, number, &random)
    case 16: return try await replace(number, isClean: Bool.random(using: &random))
    case 17, 18:
      try await stage.pass(.seconds(500))
      return "time passes"
    case 19: return try await loseAnswer(queue, number, order(&random))
    case 20: return try await operate(&random)
    case 21:
      let isPaused = Int.random(in: 0..<4, using: &random) == 0
      try await stage.set(ControlField.paused, isPaused ? "1" : nil)
      return "paused \(isPaused)"
    case 22:
      try await stage.popDead()
      return "a letter is popped"
    default:
      let answer = await Self.result { try await queue.beat(InstanceStatus()).instances }
      if case .failure = answer { try await queue.join() }
      return "\(answer) \(try await queue.recover())"
    }
  }

  private static func result<R>(_ body: () async throws -> R) async -> Result<R, any Error> {
    do { return .success(try await body()) } catch { return .failure(error) }
  }

  private func push(_ random: inout SeededRandom) async throws -> String {
    let event = "e\(UInt32.random(in: 0...(.max), using: &random))"
    try await stage.push(event)
    ledger.came(event)
    return "push \(event)"
  }

  private func order(_ random: inout SeededRandom) -> TakeOrder {
    var order = TakeOrder(Int.random(in: 1...5, using: &random))
    for credential in Self.credentials {
      let most = Int.random(in: -1...2, using: &random)
      if most >= 0 { order.parked.append(.init(credential, most: most)) }
    }
    return order
  }

  private func take(
    _ queue: any JobQueue, _ number: Int, _ order: TakeOrder
  ) async throws -> String {
    do throws(QueueError) {
      let batch = try await queue.take(order)
      held[number] += batch.items
      return "took \(Self.text(batch.items)) \(batch.news) \(batch.nextDue == nil) \(batch.parked)"
    } catch {
      return "\(error.code)"
    }
  }

  private static func text(_ items: [QueueItem]) -> [String] {
    items.map {
      "\($0.text) \($0.header.attempt) \($0.header.crashes) \($0.header.replays)"
        + " \($0.header.done.text)"
    }
  }

  /// The take runs and nobody hears of it; reconciliation finds what it took.
  private func loseAnswer(
    _ queue: any JobQueue, _ number: Int, _ order: TakeOrder
  ) async throws -> String {
    try await stage.takeAndLoseAnswer(queue, order)
    let adopted = try await queue.reconcile()
    held[number] += adopted
    return "adopted \(Self.text(adopted))"
  }

  private func settle(
    _ queue: any JobQueue, _ number: Int, _ random: inout SeededRandom
  ) async throws -> String {
    var settlements: [Settlement] = []
    var items: [QueueItem] = []
    for _ in 0..<Int.random(in: 1...3, using: &random) {
      guard let item = held[number].popLast() else { break }
      items.append(item)
      settlements.append(
        Settlement(item.receipt, try await leaves(of: item, settlements.count, &random)))
    }
    let ours = try await queue.settle(settlements)
    for (index, isOurs) in ours.enumerated() where isOurs {
      ledger.went(items[index].text)
      note(settlements[index].leaves, of: items[index])
    }
    // As a worker does whose answer was lost.
    let again = Bool.random(using: &random) ? try await queue.settle(settlements) : []
    return "settled \(items.map(\.text)) \(ours) \(again)"
  }

  private func note(_ leaves: [Leaving], of item: QueueItem) {
    for leaving in leaves {
      switch leaving {
      case .again, .parked: ledger.came(item.text)
      default: break
      }
    }
  }

  /// Up to two things, of any kind; but one that waits for a moment only once a step, since two of
  /// one millisecond have no order.
  private func leaves(
    of item: QueueItem, _ place: Int, _ random: inout SeededRandom
  ) async throws -> [Leaving] {
    var leaves: [Leaving] = []
    for part in 0..<Int.random(in: 0...2, using: &random) {
      switch Int.random(in: 0..<6, using: &random) {
      case 0 where part == 0 && place == 0:
        let delay = Duration.seconds(250 + 500 * Int64.random(in: 0...4, using: &random))
        // Retries of one item are for targets that none was for before: equal ones would be one.
        retries += 1
        leaves.append(try await stage.again(item, after: delay, done: [500 + retries]))
      case 1 where part == 0 && place == 0:
        letters += 1
        let reason: DeadReason = Bool.random(using: &random) ? .rejected : .expired
        leaves.append(.deadLetter(reason, Array("letter \(letters)".utf8)))
      case 2: leaves.append(.invalidToken(item.bytes))
      case 3: leaves.append(.heldToken(item.bytes))
      case 4:
        let credential = Self.credentials.randomElement(using: &random) ?? parkedCredential
        leaves.append(.parked(credential, item.header))
      default:
        var receipt = TargetReceipt()
        receipt.add("id", item.text)
        leaves.append(.receipt(receipt))
      }
    }
    return leaves
  }

  private func putBack(_ queue: any JobQueue, _ number: Int) async throws -> String {
    guard let item = held[number].popLast() else { return "-" }
    try await queue.putBack([item.receipt])
    return "put back \(item.text)"
  }

  private func progress(
    _ queue: any JobQueue, _ number: Int, _ random: inout SeededRandom
  ) async throws -> String {
    guard let item = held[number].last else { return "-" }
    let done = TargetSet(all: Int.random(in: 1...80, using: &random))
    let leaves = try await leaves(of: item, 0, &random)
    let isOurs = try await queue.progress(ItemProgress(item.receipt, done: done, leaves: leaves))
    if isOurs { note(leaves, of: item) }
    return "progress \(item.text) \(isOurs)"
  }

  private func split(
    _ queue: any JobQueue, _ number: Int, _ random: inout SeededRandom
  ) async throws -> String {
    guard let item = held[number].last else { return "-" }
    let isLast = Bool.random(using: &random)
    if isLast { held[number].removeLast() }
    splits += 1
    let chunks = (0..<Int.random(in: 1...3, using: &random)).map { part in
      SplitStep.Chunk(
        ItemHeader(id: .written("c\(splits).\(part)"), firstTaken: 1),
        item.bytes + [46, UInt8(48 + part)])
    }
    // Marks that were never set before, so that it is a step of its own.
    let done = TargetSet(all: 80 + splits)
    let step = SplitStep(item.receipt, chunks, done: done, isLast: isLast)
    let isOurs = try await queue.split(step)
    // As a worker does whose answer was lost.
    let again = try await queue.split(step)
    if isOurs {
      if isLast { ledger.went(item.text) }
      for chunk in chunks { ledger.came(String(decoding: chunk.bytes, as: UTF8.self)) }
    }
    return "split \(item.text) \(isLast) \(isOurs) \(again)"
  }

  /// It dies, or ends in order, and another starts.
  private func replace(_ number: Int, isClean: Bool) async throws -> String {
    if isClean { try await queues[number].release() }
    queues[number] = try await newQueue()
    held[number] = []
    return isClean ? "released" : "died"
  }

  private func operate(_ random: inout SeededRandom) async throws -> String {
    let dead = try await stage.stored().dead
    guard let letter = dead.randomElement(using: &random) else { return "-" }
    if Bool.random(using: &random) {
      return "purged \(try await stage.purge([letter, "none"]))"
    }
    let event = "r\(UInt32.random(in: 0...(.max), using: &random))"
    let sent = try await stage.retry(letter, as: event)
    if sent == 1 { ledger.came(event) }
    return "retried \(sent)"
  }

  /// Everything is taken and ended; what is left then should not be (I5).
  func drain() async throws -> String? {
    try await stage.set(ControlField.paused, nil)
    for _ in 0..<60 {
      try await stage.pass(.seconds(1_300))
      let queue = try await newQueue()
      _ = try await queue.recover()
      let order = TakeOrder(50, parked: Self.credentials.map { .init($0, most: 50) })
      while true {
        let items = try await queue.take(order).items
        if items.isEmpty { break }
        _ = try await queue.settle(items.map { Settlement($0.receipt) })
      }
      try await queue.release()
      while !(try await stage.stored().dead.isEmpty) { try await stage.popDead() }
      if try await stage.stored().isOnly() { return nil }
    }
    return "left after draining: \(try await stage.stored())"
  }
}
