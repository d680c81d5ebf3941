import PushModel
import SharedState

/// A place for one push at a time, with what it keeps between its pushes: the buffers of a request.
final class Lane: OutgoingPush {
  let request = PushRequest()
  /// What it has to send.
  private(set) var job: Dispatcher<OpenItem>.Job?
  /// When it got it, UNIX milliseconds.
  private(set) var startedAt: Int64 = 0
  /// Nanoseconds from then until the outcome was known.
  private(set) var took: Int64 = 0
  /// What `request` holds is its message.
  var isBuilt = false
  private(set) var precedence: UInt8 = 0
  private var begun: Int64 = 0
  private var outcome: SendOutcome?
  private unowned let crew: LaneCrew

  init(of crew: LaneCrew) { self.crew = crew }

  func begin(_ job: Dispatcher<OpenItem>.Job, _ clock: any PushClock) {
    precedence = job.item.feed.precedence
    self.job = job
    isBuilt = false
    startedAt = clock.wall()
    begun = clock.monotonic()
  }

  func build() -> Bool { crew.build(self) }

  func ended(_ outcome: SendOutcome) {
    self.outcome = outcome
    took = crew.clock.monotonic() - begun
    crew.ended(self)
  }

  /// There is nothing to be sent.
  func drop() { job = nil }

  /// Job and outcome, which it forgets; nil when it was dropped.
  func take() -> (Dispatcher<OpenItem>.Job, SendOutcome)? {
    guard let job = job.take(), let outcome = outcome.take() else { return nil }
    return (job, outcome)
  }
}
