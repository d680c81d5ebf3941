/// Lets the first records of a message through and counts the rest, per message and 10 seconds.
struct FloodGate {
  /// OPERATIONS: floods are summed per 10 s.
  static let window: Int64 = 10_000_000_000
  /// So many of one message show what is going on; more of them only hide the others.
  static let shown = 20

  struct Sum {
    var message: StaticString
    var level: LogLevel
    var suppressed: Int
  }

  private struct Entry {
    var sum: Sum
    var started: Int64
    var shown = 0
  }
  private var entries: [UInt: Entry] = [:]

  /// True when the record is to be written. `now` in monotonic nanoseconds.
  mutating func admits(_ message: StaticString, _ level: LogLevel, now: Int64) -> Bool {
    guard message.hasPointerRepresentation else { return true }
    let id = UInt(bitPattern: unsafe message.utf8Start)
    var entry =
      entries[id]
      ?? Entry(sum: Sum(message: message, level: level, suppressed: 0), started: now)
    let isShown = entry.shown < Self.shown
    if isShown { entry.shown += 1 } else { entry.sum.suppressed += 1 }
    entry.sum.level = max(entry.sum.level, level)
    entries[id] = entry
    return isShown
  }

  /// The sums of windows that are over; their messages start afresh.
  mutating func over(now: Int64) -> [Sum] {
    guard entries.values.contains(where: { now - $0.started >= Self.window }) else { return [] }
    let over = entries.filter { now - $0.value.started >= Self.window }
    for id in over.keys { entries[id] = nil }
    return over.values.map(\.sum).filter { $0.suppressed > 0 }
  }
}
