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

    /// It was sent and nobody answered: its time was over, or its connection was lost.
    var isSilent: Bool { if case .sent(.unknown) = self { true } else { false } }
  }

  let request = PushRequest()
  /// What it has to send.
  private(set) var job: Job?
  private(set) var precedence: UInt8 = 0
  /// What `request` holds is its message.
  private(set) var isBuilt = false
  /// When it was given to the provider, monotonic, but for the time that others of its round take.
  private(set) var begun: Int64 = 0
  /// Nanoseconds from then until the turn in which it ended.
  private(set) var took: Int64 = 0
  private var ending: Ending?
  private let crew: LaneCrew

  init(of crew: LaneCrew) { self.crew = crew }

  /// Gets something to send, at this moment (monotonic).
  func begin(_ job: consuming Job, at now: Int64) {
    precedence = job.item.feed.precedence
    self.job = job
    isBuilt = false
    begun = now
  }

  func build(at now: Int64) -> Bool {
    // Taken out meanwhile: to read it where it is would count one more owner.
    guard let job = job.take() else { return false }
    let trouble = crew.build(job, into: request, at: now)
    self.job = consume job
    if let trouble { return end(trouble) }
    isBuilt = true
    return true
  }

  func ended(_ outcome: SendOutcome) { _ = end(.sent(outcome)) }

  private func end(_ ending: Ending) -> Bool {
    self.ending = ending
    crew.ended(self)
    return false
  }

  /// How it ended, as is known at this moment (monotonic); it forgets it.
  func takeEnding(at now: Int64) -> Ending? {
    took = now - begun
    return ending.take()
  }

  /// What it had to send, which it forgets.
  func takeJob() -> Job? { job.take() }
}
