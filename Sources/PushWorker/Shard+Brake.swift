import LoopIO
import PushCodec
import PushModel
import SharedState

// Tokens that a wrong setting may have condemned wait until the brake believes them (EVENTS.md 3).
// Their item stays ours and open; its other targets are marked as done meanwhile. It is never split
// while one waits: an item is split before the first of its targets goes to a lane, or not at all.
// Quiet and drain: they go on waiting. Cancel: what the brake says then is their fate.
extension Shard {
  /// A target whose token waits.
  struct Suspect {
    let open: OpenItem
    let target: Int
    let brake: InvalidationBrake
    let ticket: MassInvalidation.Ticket
    let token: Verdict.TokenVerdict
    let answer: Answer
    let attempted: Attempted
  }

  /// Between two looks at those that wait, nanoseconds.
  private static let suspectInterval: Int64 = 100_000_000
  /// Items that wait like this beyond a list's capacity.
  private static let mostResting = 256

  /// Counts the answer. True when its token's fate is not known yet: then the target stays open.
  func awaitsBrake(
    _ job: Lane.Job, _ outcome: SendOutcome, _ decision: Decision,
    _ attempted: Attempted
  ) -> Bool {
    guard case .answered(let answer, let verdict) = outcome else { return false }
    let brake = outlets[job.group].brake
    guard let ticket = brake.answered(answer, verdict, now: clock.monotonic()),
      case .invalidToken(let token) = decision
    else { return false }
    suspect(
      Suspect(
        open: job.item, target: job.target, brake: brake, ticket: ticket, token: token,
        answer: answer, attempted: attempted))
    return true
  }

  private func suspect(_ suspect: Suspect) {
    suspect.open.remaining += 1
    suspect.open.suspects += 1
    suspects.append(suspect)
    // The item may now take up no place any more.
    suspect.open.feed.fetchWake.raise()
    if suspectTimer == nil {
      suspectTimer = LoopTimer(on: loop) { self.judgeSuspects(atOnce: false) }
    }
    if suspects.count == 1 { suspectTimer?.arm(afterNanoseconds: Self.suspectInterval) }
  }

  /// Items that wait for nothing but the brake: they keep no other from being taken, or a few dead
  /// tokens would stop a small worker for ten seconds, in which no answer could prove them right.
  func resting(_ feed: Feed) -> Int {
    if suspects.isEmpty { return 0 }
    var items: Set<ObjectIdentifier> = []
    for suspect in suspects where items.count < Self.mostResting {
      let open = suspect.open
      guard open.feed === feed, open.suspects == open.remaining else { continue }
      items.insert(ObjectIdentifier(open))
    }
    return items.count
  }

  /// - Parameter atOnce: nothing waits any more.
  func judgeSuspects(atOnce: Bool) {
    let now = clock.monotonic()
    var left: [Suspect] = []
    for suspect in suspects {
      switch suspect.brake.fate(suspect.ticket, now: now) {
      case .wait where !atOnce:
        left.append(suspect)
        keepProgress(suspect.open)
      case .wait, .feedBack: conclude(suspect, isHeld: false)
      case .hold: conclude(suspect, isHeld: true)
      }
    }
    suspects = left
    if !suspects.isEmpty { suspectTimer?.arm(afterNanoseconds: Self.suspectInterval) }
  }

  /// What else is done of the item must not be repeated because one token waits.
  private func keepProgress(_ open: OpenItem) {
    if open.suspects == open.remaining { writeProgress(open) }
  }

  private func conclude(_ suspect: Suspect, isHeld: Bool) {
    let open = suspect.open
    open.suspects -= 1
    var token = suspect.token
    token.isHeld = isHeld
    record(
      open, suspect.target, .invalidToken(token), suspect.answer, suspect.answer.detail,
      suspect.attempted)
    open.remaining -= 1
    if open.remaining == 0 { finish(open) }
  }
}
