/// How often durations fell below each bound. Measured in nanoseconds, rendered in seconds.
package final class Histogram: Sendable {
  /// From a loopback answer to a push that waited out an outage: 0.5 ms to an hour.
  package static let spans: [Int64] = [
    500_000, 1_000_000, 2_500_000, 5_000_000, 10_000_000, 25_000_000, 50_000_000, 100_000_000,
    250_000_000, 500_000_000, 1_000_000_000, 2_500_000_000, 5_000_000_000, 15_000_000_000,
    60_000_000_000, 600_000_000_000, 3_600_000_000_000,
  ]

  /// Upper bounds in nanoseconds, ascending.
  let bounds: [Int64]
  /// One count for each bound and one for what lies above them all.
  let places: [Counter]
  private let total = Counter()

  package init(bounds: [Int64] = Histogram.spans) {
    self.bounds = bounds
    places = (0...bounds.count).map { _ in Counter() }
  }

  package func record(nanoseconds: Int64) {
    var place = 0
    while place < bounds.count, nanoseconds > bounds[place] { place += 1 }
    places[place].add()
    total.add(Int(max(0, nanoseconds)))
  }

  package func record(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    record(nanoseconds: seconds * 1_000_000_000 + attoseconds / 1_000_000_000)
  }

  package var count: UInt64 { places.reduce(0) { $0 + $1.value } }
  package var sumSeconds: Double { Double(total.value) / 1e9 }

  /// The counts as Prometheus wants them: each bound with all that lies below it.
  var cumulative: [UInt64] {
    var sum: UInt64 = 0
    return places.map {
      sum += $0.value
      return sum
    }
  }
}
