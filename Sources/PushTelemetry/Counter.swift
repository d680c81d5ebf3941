internal import Synchronization

/// A count that only grows. Adding is one relaxed atomic add.
package final class Counter: Sendable {
  private let count = Atomic<UInt64>(0)

  package init() {}

  package func add(_ amount: Int = 1) {
    count.wrappingAdd(UInt64(truncatingIfNeeded: amount), ordering: .relaxed)
  }

  package var value: UInt64 { count.load(ordering: .relaxed) }
}

/// A value that goes up and down.
package final class Gauge: Sendable {
  private let bits = Atomic<UInt64>(0)

  package init() {}

  package var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }

  package func set(_ value: Double) { bits.store(value.bitPattern, ordering: .relaxed) }
  package func set(_ value: Int) { set(Double(value)) }

  package func add(_ amount: Double) {
    var old = bits.load(ordering: .relaxed)
    while true {
      let new = (Double(bitPattern: old) + amount).bitPattern
      let (done, now) = bits.weakCompareExchange(
        expected: old, desired: new, ordering: .relaxed)
      if done { return }
      old = now
    }
  }
}
