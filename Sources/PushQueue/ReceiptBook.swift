internal import PushWorker

/// What one instance knows of its own hash: which receipts it holds, and which may still arrive
/// with the answer of a take.
struct ReceiptBook {
  private var next: Receipt = 1
  private var held: Set<Receipt> = []
  private var marked: Set<Receipt> = []
  /// First receipts of takes whose answer has not come.
  private var pending: [Receipt] = []
  private(set) var ring = SettledRing()

  /// Reserves receipts for a take; the first of them.
  mutating func beginTake(_ want: Int) -> Receipt {
    defer { next += Receipt(want) }
    pending.append(next)
    return next
  }

  /// The take was answered, or its answer will never come.
  mutating func endTake(_ first: Receipt) { pending.removeAll { $0 == first } }

  mutating func hold(_ receipt: Receipt) { held.insert(receipt) }

  mutating func mark(_ receipt: Receipt) { marked.insert(receipt) }

  func isHeld(_ receipt: Receipt) -> Bool { held.contains(receipt) }

  func isMarked(_ receipt: Receipt) -> Bool { !marked.isEmpty && marked.contains(receipt) }

  mutating func settled(_ settlement: Settlement, wasOurs: Bool) {
    forget(settlement.receipt)
    if wasOurs { ring.append(settlement) }
  }

  /// From now on the receipt is unknown here: `reconcile` adopts it when Redis still has it.
  mutating func forget(_ receipt: Receipt) {
    held.remove(receipt)
    if !marked.isEmpty { marked.remove(receipt) }
  }

  mutating func forgetAll() {
    held = []
    marked = []
  }

  /// Of what Redis holds for us: what must be settled again, and what nobody here works on. A
  /// receipt that a pending take may still bring is neither.
  func compare(_ found: [Receipt]) -> (again: [Settlement], unknown: [Receipt]) {
    let strange = Set(found.filter { !held.contains($0) })
    if strange.isEmpty { return ([], []) }
    let again = ring.settlements(of: strange)
    let known = Set(again.map(\.receipt))
    let limit = pending.min() ?? next
    return (again, strange.filter { !known.contains($0) && $0 < limit }.sorted())
  }
}
