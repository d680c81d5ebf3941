import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The lanes: as many pushes are under way at once.
// Quiet: they go on. Drain: what waits is still begun. Cancel: their open requests end as "unknown"
// when the providers shut down.
extension Shard {
  /// Begins what waits as long as lanes are free and there is room where it goes. What has left at
  /// once took up no room: so it is asked for again until nothing more can be begun.
  func startLanes() {
    var started = 0
    repeat {
      if dispatcher.waiting == 0 { return }
      for group in outlets.indices {
        dispatcher.setRoom(group: group, to: outlets[group].provider.room)
      }
      started = 0
      var now: Int64 = 0
      while let job = dispatcher.next(lanes: wantedLanes) {
        // A clock costs more than most steps here, and sixteen pushes are built in a sixth of a
        // millisecond.
        if started % 16 == 0 { now = clock.monotonic() }
        let (lane, group) = (crew.takeFree(), job.group)
        lane.begin(job, at: now)
        outlets[group].provider.send(lane)
        started += 1
      }
    } while started > 0
  }

  func roomGrew() {
    startLanes()
    // What is taken ahead may have been begun.
    for feed in feeds { feed.fetchWake.raise() }
  }

  /// What has ended is concluded, and its lanes go on.
  private func concludeEnded() {
    // Once for all: they have ended in this turn.
    let now = clock.monotonic()
    crew.takeEnded { lane in
      guard let ending = lane.takeEnding(at: now) else { return false }
      if case .leaseOver = ending {
        hold(lane)
        return false
      }
      guard let job = lane.takeJob() else { return false }
      conclude(job, ending, lane)
      dispatcher.finished(feed: job.feed, group: job.group, isSilent: ending.isSilent)
      job.item.remaining -= 1
      if job.item.remaining == 0 { finish(job.item) }
      return true
    }
    startLanes()
  }

  private func conclude(_ job: Lane.Job, _ ending: Lane.Ending, _ lane: Lane) {
    switch ending {
    case .sent(let outcome): conclude(job, outcome, lane)
    case .shut: park(job.item, job.target)
    case .failed(let reason, let detail): record(job.item, job.target, .dead(reason), nil, detail)
    case .expired:
      record(job.item, job.target, .expired, nil, "expired before it could be sent")
    case .stale, .leaseOver: withhold(job.item, job.target)
    }
  }

  private static let leaseLook: Int64 = 50_000_000

  private func hold(_ lane: Lane) {
    if crew.hold(lane) { leaseTimer?.arm(afterNanoseconds: Self.leaseLook) }
  }

  /// Lanes that wait for the lease go on when it is renewed, or give up what never may be started.
  private func lookAtLease() {
    let now = clock.monotonic()
    for lane in crew.takeHeld() {
      guard let job = lane.job else { continue }
      if job.item.isStale || !isCutOff && now < job.item.feed.startDeadline {
        // The wait was none for the provider.
        lane.begin(job, at: now)
        outlets[job.group].provider.send(lane)
      } else if isCutOff {
        // It stays in Redis as it is, and is handed back.
        _ = lane.takeJob()
        dispatcher.finished(feed: job.feed, group: job.group)
      } else {
        hold(lane)
      }
    }
  }

  func watchLanes() {
    crew.whenEnded = { [weak self] in
      self?.assumeIsolated { $0.concludeEnded() }
    }
    leaseTimer = LoopTimer(on: loop) { [unowned self] in assumeIsolated { $0.lookAtLease() } }
  }

  // MARK: After the answer

  private func conclude(_ job: Lane.Job, _ outcome: SendOutcome, _ lane: Lane) {
    metrics.sendDuration.record(nanoseconds: lane.took)
    let open = job.item
    if outcome.isAccepted {
      outlets[job.group].accepted()
      open.done.insert(job.target)
      open.unwritten += 1
      if writesReceipts {
        noteEnd(open, job.target, .accepted, outcome.answer, attempted(by: lane))
      }
      writeProgressIfDue(open)
      return
    }
    concludeFailure(job, outcome, lane, attempted(by: lane))
  }

  private func attempted(by lane: Lane) -> Attempted {
    Attempted(
      startedAt: clock.wall() - (clock.monotonic() - lane.begun) / 1_000_000, took: lane.took,
      apnsID: writesReceipts && lane.isBuilt ? lane.request.apnsID : [])
  }

  private func concludeFailure(
    _ job: Lane.Job, _ outcome: SendOutcome, _ lane: Lane, _ attempted: Attempted
  ) {
    let open = job.item
    if isCutOff, case .neverSent = outcome {
      // A stop took it back before it left, which says nothing about the provider.
      return withhold(open, job.target)
    }
    let outlet = outlets[job.group]
    var answer: Answer?
    var detail = ""
    switch outcome {
    case .answered(let said, _):
      answer = said
      detail = said.detail
      outlet.unreachable = 0
      outlet.metrics.attempts(status: said.status).add()
    case .neverSent(let trouble) where trouble.kind == .breaker:
      return park(open, job.target)
    case .neverSent(let trouble):
      outlet.unreachable += 1
      outlet.metrics.unanswered.add()
      detail = trouble.detail
    case .unknown(let trouble):
      outlet.metrics.unanswered.add()
      detail = trouble.detail
    }
    var random = SystemRandomNumberGenerator()
    var decision = policy.decide(outcome, attempt(job), random: &random)
    // The breaker has opened: what would be tried again waits for it, unspent.
    if case .again = decision, outlet.provider.gate == .shut {
      open.feed.parked.notePut(job.group)
      decision = .parked
    }
    report(job, outcome, decision, lane)
    if awaitsBrake(job, outcome, decision, attempted) { return }
    record(open, job.target, decision, answer, detail, attempted)
  }

  private func attempt(_ job: Lane.Job) -> Attempt {
    let event = job.item.event
    var attempt = Attempt()
    attempt.provider = event.targets[job.target].provider
    attempt.spent = job.item.item.header.attempt
    attempt.firstTaken =
      job.item.item.header.firstTaken - job.item.feed.serverOffset + job.item.parked
    attempt.now = clock.wall()
    attempt.expiresAt = event.expiresAt
    attempt.isOneShot = event.isOneShot
    attempt.registeredAt = event.targets[job.target].registeredAt
    attempt.unreachable = outlets[job.group].unreachable
    return attempt
  }

  /// Notes the end of a target that was not accepted.
  func record(
    _ open: OpenItem, _ target: Int, _ decision: Decision, _ answer: Answer?, _ detail: String,
    _ attempted: Attempted? = nil
  ) {
    fail(open, target, decision, answer, detail, attempted)
    writeProgressIfDue(open)
  }

  func fail(
    _ open: OpenItem, _ target: Int, _ decision: Decision, _ answer: Answer?, _ detail: String,
    _ attempted: Attempted? = nil
  ) {
    count(open, target, decision, answer)
    noteEnd(open, target, decision, answer, attempted)
    open.done.insert(target)
    open.unwritten += 1
    open.failures.append(
      OpenItem.Failure(target: target, decision: decision, answer: answer, detail: detail))
  }

  private func count(
    _ open: OpenItem, _ target: Int, _ decision: Decision, _ answer: Answer?
  ) {
    let target = open.event.targets[target]
    switch decision {
    case .accepted, .parked: break
    case .invalidToken(let token):
      if target.credential >= 0 { outlets[target.credential].metrics.invalidToken.add() }
      if !token.isHeld {
        metrics.invalidToken(target.provider, reason: answer?.reason ?? "", isKnown: true)
      }
    case .again(_, _, let cause):
      metrics.retried(target.provider, cause: WorkerMetrics.RetriedBecause(cause))
    case .dead(let reason):
      open.feed.metrics.deadLetters(reason).add()
      if target.credential >= 0 { outlets[target.credential].metrics.dead.add() }
    case .expired:
      if target.credential >= 0 { outlets[target.credential].metrics.expired.add() }
    }
  }
}

extension WorkerMetrics.RetriedBecause {
  init(_ cause: Decision.Cause) {
    switch cause {
    case .server: self = .server
    case .throttled: self = .throttled
    case .connection: self = .connection
    case .unknown: self = .unknown
    case .auth: self = .auth
    case .paused: self = .paused
    case .newConnection: self = .newConnection
    case .tokenUpdates: self = .tokenUpdates
    case .registeredAgain: self = .server
    }
  }
}
