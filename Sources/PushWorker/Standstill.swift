/// Finds the credentials that stand still: their lanes are busy, and none has finished for longer than
/// is usual for them. What was sent and not answered is no progress: when the requests of a hang run out,
/// or the connection that was silent is given up, the hang goes on.
///
/// It is looked at by the fetchers, at most every 50 ms, and counts looks, not time: a machine that
/// pauses is looked at once.
struct Standstill {
  /// Between two looks, in nanoseconds.
  static let spacing: Int64 = 50_000_000
  /// Looks without progress after which a credential stands still at the earliest.
  private static let fewest = 3
  /// Before its first answer it may be connecting; two seconds are no hang then.
  private static let most = 40

  private struct Credential {
    var finished = 0
    /// Looks in a row without progress.
    var looks = 0
    /// Looks without progress that progress followed on: answers come in waves, and a rate limit's
    /// first burst is followed by a pause of a second.
    var usual = 0

    var limit: Int { finished == 0 ? most : max(fewest, min(most, 2 * usual + 1)) }

    mutating func note(_ now: Int, isBusy: Bool) {
      if now == finished, isBusy {
        looks += 1
        return
      }
      // A longer silence was a hang: that is not how it is.
      if now != finished, looks <= most / 2 { usual = max(looks, usual - 1) }
      finished = now
      looks = 0
    }
  }

  private var credentials: [Credential]
  private var lastLook = Int64.min

  init(groups: Int) { credentials = Array(repeating: Credential(), count: groups) }

  /// - Parameters:
  ///   - now: monotonic nanoseconds.
  ///   - progress: of a credential, how many targets lanes have finished but for those that nobody
  ///     answered, and how many have lanes.
  /// - Returns: false when it was too soon.
  mutating func look(
    _ now: Int64, _ progress: (Int) -> (finished: Int, running: Int)
  ) -> Bool {
    guard lastLook < now - Self.spacing else { return false }
    lastLook = now
    for group in credentials.indices {
      let (finished, running) = progress(group)
      credentials[group].note(finished, isBusy: running > 0)
    }
    return true
  }

  func isStill(_ group: Int) -> Bool { credentials[group].looks >= credentials[group].limit }
}
