internal import LoopIO
internal import SharedState

/// One timer looks after all deadlines, PINGs and idle connections: none of them is exact, and a
/// timer for each request would cost more than the request's share of the loop.
extension ConnectionPool {
  private static let longestSweep: Int64 = 250_000_000

  /// Sets the timer unless it will fire soon anyway.
  func armSweep(at now: Int64) {
    guard sweepAt - now > Self.longestSweep, let next = nextSweep(at: now), next < sweepAt else {
      return
    }
    sweepAt = next
    sweepTimer?.arm(afterNanoseconds: max(next - now, 1_000_000))
  }

  func sweep() {
    sweepAt = .max
    let now = clock.monotonic()
    for connection in open + draining { connection.sweep(at: now) }
    giveUpWaiting(at: now)
    retireIdle(at: now)
    look(at: now)
    armSweep(at: now)
  }

  /// Nil when nothing stands and nothing waits: an idle pool wakes nobody.
  private func nextSweep(at now: Int64) -> Int64? {
    if !waiting.isEmpty || open.contains(where: { $0.slots.used > 0 }) || !draining.isEmpty {
      return now + min(Self.longestSweep, max(requestTimeout / 20, 1_000_000))
    }
    var next = Int64.max
    for connection in open { next = min(next, connection.nextCheck) }
    if open.count > settings.minConnections {
      next = min(next, intervalStart + RetirementWatch.interval)
    }
    return next == .max ? nil : next
  }

  private func giveUpWaiting(at now: Int64) {
    let isCutOff = open.isEmpty
    let patience = isCutOff ? settings.connectTimeout.nanoseconds : requestTimeout
    while let late = waiting.popFirst(since: now - patience) {
      giveBack(late, isCutOff ? whyNotConnected : RequestTrouble(.noPlace, "no place in time"))
    }
  }

  private func retireIdle(at now: Int64) {
    use.mostStreams = max(use.mostStreams, streamsInUse)
    guard now - intervalStart >= RetirementWatch.interval else { return }
    intervalStart = now
    var ended = use
    ended.open = open.count
    ended.starts = starts - use.starts
    use = RetirementWatch.Use(starts: starts, hadWaiting: !waiting.isEmpty)
    for _ in 0..<min(retirement.intervalEnded(ended), open.count) { open.last?.retire() }
  }
}
