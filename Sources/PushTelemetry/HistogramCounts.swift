/// A histogram at one moment, for figures of a span of time.
package struct HistogramCounts: Sendable, Equatable {
  /// Upper bounds in nanoseconds, ascending.
  var bounds: [Int64] = []
  /// Of each bound alone, and of what lies above them all.
  var counts: [UInt64] = []

  package init() {}

  init(bounds: [Int64], counts: [UInt64]) {
    self.bounds = bounds
    self.counts = counts
  }

  /// What was recorded since an earlier moment.
  package func since(_ earlier: HistogramCounts) -> HistogramCounts {
    guard earlier.counts.count == counts.count else { return self }
    return HistogramCounts(bounds: bounds, counts: zip(counts, earlier.counts).map { $0 &- $1 })
  }

  /// Seconds below which a part of what was recorded lies, as exact as the bounds are; what lies
  /// above the last bound counts as that. nil when nothing was recorded.
  package func quantile(_ part: Double) -> Double? {
    let total = counts.reduce(0, +)
    guard total > 0 else { return nil }
    let rank = part * Double(total)
    var below = 0.0
    for (place, count) in counts.enumerated() where count > 0 {
      if below + Double(count) >= rank, place < bounds.count {
        let lower = place == 0 ? 0 : Double(bounds[place - 1])
        let share = (rank - below) / Double(count)
        return (lower + (Double(bounds[place]) - lower) * share) / 1e9
      }
      below += Double(count)
    }
    return bounds.last.map { Double($0) / 1e9 }
  }
}

extension Histogram {
  package var counts: HistogramCounts {
    HistogramCounts(bounds: bounds, counts: places.map(\.value))
  }
}
