internal import PushWorker

/// What was settled lately: after a fail-over to an older state Redis may show it again, and it is
/// then settled again instead of sent again. Bounded in number and in the bytes of what was left.
struct SettledRing {
  private let capacity: Int
  private let maxBytes: Int
  private var settlements: [Settlement] = []
  private var head = 0
  private var bytes = 0

  /// 8,192 settlements are about a second of a busy worker, and no more than AOF `everysec` loses;
  /// what leaves the ring early costs a repeat.
  init(capacity: Int = 8_192, maxBytes: Int = 8_388_608) {
    self.capacity = capacity
    self.maxBytes = maxBytes
  }

  mutating func append(_ settlement: Settlement) {
    settlements.append(settlement)
    bytes += settlement.byteCount
    while settlements.count - head > capacity || (bytes > maxBytes && head < settlements.count) {
      bytes -= settlements[head].byteCount
      settlements[head].leaves = []
      head += 1
    }
    if head > capacity {
      settlements.removeFirst(head)
      head = 0
    }
  }

  /// Those of `receipts` that are in the ring.
  func settlements(of receipts: Set<Receipt>) -> [Settlement] {
    settlements[head...].filter { receipts.contains($0.receipt) }
  }
}

extension Settlement {
  /// Bytes of what the item leaves, about.
  var byteCount: Int { leaves.reduce(0) { $0 + $1.byteCount } }
}
