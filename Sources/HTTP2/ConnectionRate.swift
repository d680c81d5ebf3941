/// The rate limit of one place in a pool, with its own record of what was kept.
///
/// It belongs to the place, not to the connection that uses it: the limit is what the credential
/// promised, and a connection made anew goes on where the one before it stopped.
struct ConnectionRate {
  private var window: RateWindow?
  private var meter = StartMeter()

  /// `limit` 0 = none.
  init(limit: Int, place: Int) {
    guard limit > 0 else { return }
    // Multiples of the golden ratio spread evenly, however many places are in use.
    let phase = Double(place) * 0.618_033_988_749_895
    window = RateWindow(limit: limit, phase: phase - phase.rounded(.down))
  }

  var isLimited: Bool { window != nil }
  var largestInAnySecond: Int { meter.largest }
  var nextStart: Int64 { window?.nextStart ?? .min }

  func mayStart(at now: Int64) -> Bool { window?.mayStart(at: now) ?? true }

  mutating func reserve(at now: Int64) { window?.reserve(at: now) }

  mutating func withdraw() { window?.withdraw() }

  mutating func withdrawAll() { window?.withdrawAll() }

  mutating func handedOver(_ count: Int, at now: Int64) {
    for _ in 0..<count {
      window?.handedOver(at: now)
      meter.started(at: now)
    }
  }
}
