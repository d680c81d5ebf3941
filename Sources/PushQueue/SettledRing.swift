internal import PushWorker

/// What was settled lately: after a fail-over to an older state Redis may show it again, and it is
/// then settled again instead of sent again. Bounded in number and in the bytes of what was left.
struct SettledRing {
  private let capacity: Int
  private let maxBytes: Int
  private var entries: [Entry] = []
  private var head = 0
  private var bytes = 0

  struct Entry {
    var settlement: Settlement
    /// The marks of progress that Redis held when it was settled.
    let marks: String?
  }

  /// 8,192 settlements are about a second of a busy worker, and no more than AOF `everysec` loses;
  /// what leaves the ring early costs a repeat.
  init(capacity: Int = 8_192, maxBytes: Int = 8_388_608) {
    self.capacity = capacity
    self.maxBytes = maxBytes
  }

  mutating func append(_ settlement: Settlement, _ marks: String? = nil) {
    entries.append(Entry(settlement: settlement, marks: marks))
    bytes += settlement.byteCount
    while entries.count - head > capacity || (bytes > maxBytes && head < entries.count) {
      bytes -= entries[head].settlement.byteCount
      entries[head].settlement.leaves = []
      head += 1
    }
    if head > capacity {
      entries.removeFirst(head)
      head = 0
    }
  }

  /// It was refused: it must not be tried again and again. Rare, so that a look at all may be taken.
  mutating func remove(_ receipt: Receipt) {
    guard let index = entries[head...].firstIndex(where: { $0.settlement.receipt == receipt })
    else { return }
    bytes -= entries.remove(at: index).settlement.byteCount
  }

  /// Those of `receipts` that are in the ring.
  func settlements(of receipts: Set<Receipt>) -> [Entry] {
    entries[head...].filter { receipts.contains($0.settlement.receipt) }
  }
}

extension Settlement {
  /// Bytes of what the item leaves, about.
  var byteCount: Int { leaves.reduce(0) { $0 + $1.byteCount } }
}
