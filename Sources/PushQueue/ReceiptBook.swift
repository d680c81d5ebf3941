internal import PushModel
internal import PushWorker

/// What one instance knows of its own hash: which receipts it holds, and which may still arrive
/// with the answer of a take.
struct ReceiptBook {
  private var next: Receipt = 1
  private var held: Set<ReceiptKey> = []
  /// Marks of finished targets that Redis holds, as text; those of an item whose marks in Redis are
  /// others are `strangeMarks`.
  private var marked: [Receipt: String] = [:]
  /// First receipts of takes whose answer has not come.
  private var pending: [Receipt] = []
  private(set) var ring = SettledRing()

  /// Reserves receipts for a take at this moment, in UNIX milliseconds of the server; the first of
  /// them. They grow whatever that clock does.
  mutating func beginTake(_ want: Int, at moment: Int64) -> Receipt {
    let first = max(next, Receipt(max(0, moment)) * Receipt(LuaParts.receiptsAMillisecond))
    next = first + Receipt(want)
    pending.append(first)
    return first
  }

  /// When a fresh item with this receipt was taken first, in UNIX milliseconds of the server.
  static func moment(of receipt: Receipt) -> Int64 {
    Int64(receipt / Receipt(LuaParts.receiptsAMillisecond))
  }

  /// The take was answered, or its answer will never come.
  mutating func endTake(_ first: Receipt) { pending.removeAll { $0 == first } }

  mutating func hold(_ receipt: Receipt) { held.insert(ReceiptKey(receipt)) }

  /// No item can have these: what says that it has them is refused.
  static let strangeMarks = "?"

  /// Redis holds these marks of the item.
  mutating func mark(_ receipt: Receipt, _ marks: String) { marked[receipt] = marks }

  /// Redis holds other marks than it should, as after a fail-over to an older state, and so lacks
  /// what was left with the later ones. Nothing more may be written of the item as we know it; its
  /// settlement is refused, and then `reconcile` adopts it as it stands in Redis.
  mutating func marksAreStrange(_ receipt: Receipt) { marked[receipt] = Self.strangeMarks }

  func isHeld(_ receipt: Receipt) -> Bool { held.contains(ReceiptKey(receipt)) }

  /// The marks that Redis should hold; nil = none.
  func marks(of receipt: Receipt) -> String? { marked.isEmpty ? nil : marked[receipt] }

  mutating func settled(_ settlement: Settlement, wasOurs: Bool) {
    let marks = marks(of: settlement.receipt)
    forget(settlement.receipt)
    if wasOurs { ring.append(settlement, marks) } else { ring.remove(settlement.receipt) }
  }

  mutating func noteProgress(_ receipt: Receipt, _ done: TargetSet, wasOurs: Bool) {
    if wasOurs { mark(receipt, done.text) } else { marksAreStrange(receipt) }
  }

  /// A last step does not go into the ring: a fail-over that brings the item back has lost its
  /// chunks too. What was refused is adopted as it stands in Redis, if it is still there.
  mutating func noteSplit(_ step: SplitStep, wasOurs: Bool) {
    if wasOurs && !step.isLast { mark(step.receipt, step.done.text) } else { forget(step.receipt) }
  }

  /// From now on the receipt is unknown here: `reconcile` adopts it when Redis still has it.
  mutating func forget(_ receipt: Receipt) {
    held.remove(ReceiptKey(receipt))
    if !marked.isEmpty { marked[receipt] = nil }
  }

  mutating func forgetAll() {
    held = []
    marked = [:]
  }

  /// Of what Redis holds for us: what must be settled again, and what nobody here works on. A
  /// receipt that a pending take may still bring is neither.
  mutating func compare(_ found: [Receipt]) -> (again: [Settlement], unknown: [Receipt]) {
    let strange = Set(found.filter { !held.contains(ReceiptKey($0)) })
    if strange.isEmpty { return ([], []) }
    let again = ring.settlements(of: strange)
    // Settled again only on top of the marks they were settled with.
    for entry in again { if let marks = entry.marks { mark(entry.settlement.receipt, marks) } }
    let known = Set(again.map(\.settlement.receipt))
    let limit = pending.min() ?? next
    return (again.map(\.settlement), strange.filter { !known.contains($0) && $0 < limit }.sorted())
  }
}
