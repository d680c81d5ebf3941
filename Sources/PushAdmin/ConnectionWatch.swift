/// Finds clients that drip a request byte by byte: an idle limit never meets them, and a few
/// dozen of them would keep everybody else out.
struct ConnectionWatch {
  /// Sockets that owe us a request, and since when.
  private var waiting: [Int32: Int64] = [:]
  /// Nanoseconds; longer than any client needs for the headers and a small body.
  static let limit: Int64 = 30_000_000_000

  mutating func owes(_ socket: Int32, now: Int64) { waiting[socket] = now }

  /// It has sent its request, or is gone.
  mutating func isEven(_ socket: Int32) { waiting[socket] = nil }

  func overdue(now: Int64) -> [Int32] {
    waiting.filter { now - $0.value > Self.limit }.map(\.key)
  }
}
