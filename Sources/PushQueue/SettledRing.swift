internal import PushWorker

/// What was settled lately: after a fail-over to an older state Redis may show it again, and it is
/// then settled again instead of sent again.
struct SettledRing {
  private let capacity: Int
  private var settlements: [Settlement] = []
  private var next = 0

  /// 8,192 settlements are about a second of a busy worker, and no more than AOF `everysec` loses.
  init(capacity: Int = 8_192) { self.capacity = capacity }

  mutating func append(_ settlement: Settlement) {
    if settlements.count < capacity {
      settlements.append(settlement)
    } else {
      settlements[next] = settlement
      next = (next + 1) % capacity
    }
  }

  /// Those of `receipts` that are in the ring.
  func settlements(of receipts: Set<Receipt>) -> [Settlement] {
    settlements.filter { receipts.contains($0.receipt) }
  }

  func contains(_ receipt: Receipt) -> Bool { settlements.contains { $0.receipt == receipt } }
}
