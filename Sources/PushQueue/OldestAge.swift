/// How long the head of a list has waited, without reading it: an estimate from two numbers.
///
/// `taken` counts items that left the list and only grows; with what is still there it counts all
/// that ever came. The head was there at the first look at which more had come than is taken now.
package struct OldestAge: Sendable {
  private struct Look {
    let time: Int64
    let came: Int
  }

  private static let most = 512
  private var looks: [Look] = []

  package init() {}

  /// Notes a look at `time` (milliseconds of a steady clock) and gives the age in milliseconds; 0
  /// for an empty list. It is at least as old as that, and at most one interval of looks older.
  package mutating func note(time: Int64, taken: Int, ready: Int) -> Int64 {
    // The list was removed, or its counters were: what was seen before says nothing.
    if let last = looks.last, taken + ready < last.came { looks = [] }
    looks.removeAll { $0.came <= taken }
    guard ready > 0 else { return 0 }
    if looks.last?.came != taken + ready { looks.append(Look(time: time, came: taken + ready)) }
    if looks.count > Self.most { thin() }
    return time - (looks.first?.time ?? time)
  }

  /// Half as exact and half as long; the oldest look stays, since it gives the age.
  private mutating func thin() {
    looks = looks.indices.filter { $0 % 2 == 0 }.map { looks[$0] }
  }
}
