import PushCodec
import PushModel
import SharedState

/// A place for one push at a time, with what it keeps between its pushes: the buffers of a request.
final class Lane: OutgoingPush {
  typealias Job = Dispatcher<OpenItem>.Job

  /// How the way of a push through a lane ended.
  enum Ending {
    case sent(SendOutcome)
    /// No message could be built.
    case failed(DeadReason, String)
    case expired
    /// Nothing may go to the credential now.
    case shut
    /// The item may be another instance's by now.
    case stale
    /// Nothing may be started until the lease is renewed.
    case leaseOver
  }

  let request = PushRequest()
  /// What it has to send.
  private(set) var job: Job?
  private(set) var precedence: UInt8 = 0
  /// What `request` holds is its message.
  private(set) var isBuilt = false
  /// When it was given to the provider, UNIX milliseconds.
  private(set) var startedAt: Int64 = 0
  /// Nanoseconds from then until the outcome was known.
  private(set) var took: Int64 = 0
  private var begun: Int64 = 0
  private var ending: Ending?
  private let crew: LaneCrew

  init(of crew: LaneCrew) { self.crew = crew }

  /// Gets something to send.
  func begin(_ job: Job) {
    precedence = job.item.feed.precedence
    self.job = job
    isBuilt = false
    startedAt = crew.clock.wall()
    begun = crew.clock.monotonic()
  }

  func build() -> Bool {
    guard let job else { return false }
    let open = job.item
    if open.isStale { return end(.stale) }
    if crew.isShut[job.group] { return end(.shut) }
    // Past the lease's local deadline another instance may have the item.
    if crew.clock.monotonic() >= open.feed.queue.startDeadline { return end(.leaseOver) }
    switch crew.codec.build(
      open.event, target: job.target, now: crew.clock.wall(), into: request)
    {
    case .built(let notes):
      crew.count(notes)
      open.unbuilt -= 1
      // A receipt tells of the event, however it ends.
      if open.unbuilt == 0, !crew.writesReceipts { open.forgetEvent() }
      isBuilt = true
      return true
    case .failed(let reason, let detail): return end(.failed(reason, detail))
    case .expired: return end(.expired)
    }
  }

  func ended(_ outcome: SendOutcome) {
    took = crew.clock.monotonic() - begun
    _ = end(.sent(outcome))
  }

  private func end(_ ending: Ending) -> Bool {
    self.ending = ending
    crew.ended(self)
    return false
  }

  /// How it ended, which it forgets.
  func takeEnding() -> Ending? { ending.take() }

  /// Nothing is to be sent any more.
  func clear() { job = nil }
}
