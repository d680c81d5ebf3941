/// When one connection may start its next request.
///
/// Two rules together, both at every start. The guard: among any `limit + 1` starts in a row, first
/// and last are at least `span` apart, so no window of that length ever holds more than `limit`.
/// The pace: a connection that has rested may start a burst at once; once its window is full, the
/// rest go evenly spaced. (Measured: the guard alone repeats its burst each second, and bunching on
/// the way gave up to 116 at the receiver; evenly spaced with 30 ms to spare it never passed 100.)
///
/// A start is reserved when the request is given to the session and stamped when its bytes are
/// given to the socket; what is reserved and not yet stamped counts as if it started this moment.
struct RateWindow {
  /// One second and what the way to the server may bunch together.
  static let span: Int64 = 1_030_000_000

  let limit: Int
  private let gap: Int64
  /// The places of connections differ by it, so that they don't all start in the same moment.
  private let phase: Int64
  /// The last `limit` starts, the oldest at `oldest`.
  private var stamps: [Int64]
  private var oldest = 0
  private(set) var pending = 0
  /// Starts that need not wait for their place: earned by places that passed unused.
  private var credits: Int
  /// The next evenly spaced place.
  private var nextPlace = longAgo

  private static let longAgo = Int64.min / 4

  /// `limit`: starts in a window, 1 to 100. `phase`: 0 up to 1, this connection's part of a gap.
  init(limit: Int, phase: Double = 0) {
    self.limit = limit
    gap = Self.span / Int64(limit)
    self.phase = Int64(Double(gap) * phase)
    stamps = [Int64](repeating: Self.longAgo, count: limit)
    credits = limit
  }

  /// The earliest moment at which the next start is allowed; never while all places are reserved.
  var nextStart: Int64 { credits > 0 ? guardEnd : max(guardEnd, nextPlace) }

  func mayStart(at now: Int64) -> Bool { now >= nextStart }

  /// When the window has a place again, whatever the pace says.
  private var guardEnd: Int64 {
    if pending >= limit { return .max }
    let index = oldest + pending
    return stamps[index < limit ? index : index - limit] + Self.span
  }

  /// Takes a place; only when `mayStart`.
  mutating func reserve(at now: Int64) {
    let place = max(nextPlace, guardEnd)
    let isInBurst = now < place
    if isInBurst {
      credits -= 1
    } else {
      let unused = (now - place) / gap
      credits = Int(min(Int64(limit), Int64(credits) + unused))
      // A timer is late by a millisecond or two: the grid stays, or each would cost a part of
      // the rate.
      nextPlace = unused > 0 ? now + gap : place + gap
    }
    pending += 1
    let end = guardEnd
    guard now < end else { return }
    credits = 0
    if isInBurst { nextPlace = max(nextPlace, min(end, now + Self.span) + phase) }
  }

  /// The bytes of the oldest reserved start were given to the socket.
  mutating func handedOver(at now: Int64) {
    if pending == 0 { return }
    pending -= 1
    stamps[oldest] = now
    oldest = oldest + 1 < limit ? oldest + 1 : 0
  }

  /// A reserved start will not leave.
  mutating func withdraw() { if pending > 0 { pending -= 1 } }

  /// None of the reserved starts will leave: their connection is gone or takes no more.
  mutating func withdrawAll() { pending = 0 }
}
