import PushQueue

/// What a run of random steps knows must be there: where each item is does not matter, but it is in
/// one place, and counted rightly.
struct ModelLedger {
  /// Items by their bytes, and how many of each must lie somewhere. An item leaves several when its
  /// targets part; only then are there two of one kind.
  private(set) var items: [String: Int] = [:]

  mutating func came(_ item: String, _ count: Int = 1) {
    let left = items[item, default: 0] + count
    items[item] = left == 0 ? nil : left
  }

  mutating func went(_ item: String) { came(item, -1) }

  /// Nil when the books balance (I1, I3, I4).
  func fault(of stored: Stored) -> String? {
    var places: [String: Int] = [:]
    let live =
      stored.ready + stored.delayed + stored.chunks + stored.suspects + stored.parked
      + stored.sandboxParked + stored.taken
    for item in live where !item.hasPrefix("letter") { places[item, default: 0] += 1 }
    if places != items { return "lost or doubled: \(places) instead of \(items)" }
    return Self.letterFault(stored)
  }

  /// LLEN = dead - retried - purged - dropped - taken by others.
  static func letterFault(_ stored: Stored) -> String? {
    func sum(_ start: String) -> Int {
      stored.counters.filter { $0.key.hasPrefix(start) }.values.reduce(0, +)
    }
    let gone =
      sum(QueueCounter.retried) + sum(QueueCounter.deadPurged) + sum(QueueCounter.deadDropped)
      + sum(QueueCounter.deadTaken)
    let known = sum(QueueCounter.dead) - gone
    let waiting = stored.delayed.count { $0.hasPrefix("letter") }
    if known != stored.counters[QueueCounter.deadLength, default: 0] {
      return "dead letters do not add up: \(stored.counters)"
    }
    if stored.dead.count > known { return "\(stored.dead.count) letters, \(known) known" }
    if waiting != stored.counters[QueueCounter.deadWaiting, default: 0] {
      return "\(waiting) letters wait: \(stored.counters)"
    }
    return nil
  }
}
