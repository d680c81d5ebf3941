import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The lanes: as many pushes are under way at once.
// Quiet: they go on. Drain: what waits is still begun. Cancel: their open requests end as "unknown"
// when the providers shut down.
extension Shard {
  /// Begins what waits as long as lanes are free.
  func startLanes() {
    while let job = dispatcher.next(lanes: wantedLanes) {
      let lane = crew.takeFree()
      lane.begin(job, clock)
      providers[job.group].send(lane)
    }
  }

  /// Builds the message of a push that has its place on a connection; false when there is nothing to
  /// be sent, or not now.
  func build(_ lane: Lane) -> Bool {
    guard let job = lane.job else { return false }
    if job.item.isStale {
      withhold(job.item, job.target)
    } else if isLeaseOver(job) {
      crew.hold(lane)
      return false
    } else if build(job, into: lane.request) {
      lane.isBuilt = true
      return true
    }
    lane.drop()
    ended(job)
    crew.ended(lane)
    return false
  }

  /// What has ended is concluded, and its lanes go on.
  func concludeEnded() {
    crew.takeEnded { lane in
      guard let (job, outcome) = lane.take() else { return }
      conclude(job, outcome, lane)
      ended(job)
    }
    startLanes()
  }

  private func ended(_ job: Dispatcher<OpenItem>.Job) {
    dispatcher.finished(feed: job.feed, group: job.group)
    job.item.remaining -= 1
    if job.item.remaining == 0 { finish(job.item) }
  }

  /// Past the lease's local deadline nothing may be started: another instance may have the item.
  private func isLeaseOver(_ job: Dispatcher<OpenItem>.Job) -> Bool {
    clock.monotonic() >= job.item.feed.queue.startDeadline
  }

  /// Lanes that wait for the lease go on once it is renewed, or give up what never may be started.
  func lookAtLease() {
    for lane in crew.takeHeld() {
      guard let job = lane.job else { continue }
      if !job.item.isStale && !isCutOff && isLeaseOver(job) {
        crew.hold(lane)
      } else if job.item.isStale || !isCutOff {
        providers[job.group].send(lane)
      } else {
        // It stays in Redis as it is, and is handed back.
        lane.drop()
        dispatcher.finished(feed: job.feed, group: job.group)
        crew.ended(lane)
      }
    }
  }

  /// False when there is nothing to be sent.
  private func build(_ job: Dispatcher<OpenItem>.Job, into request: PushRequest) -> Bool {
    let open = job.item
    if isShut(job.group) {
      park(open, job.target)
      return false
    }
    switch codec.build(open.event, target: job.target, now: clock.wall(), into: request) {
    case .built(let notes):
      note(notes)
      open.unbuilt -= 1
      // A receipt tells of the event, however it ends.
      if open.unbuilt == 0, !writesReceipts { open.forgetEvent() }
      return true
    case .failed(let reason, let detail):
      record(open, job.target, .dead(reason), nil, detail)
    case .expired:
      record(open, job.target, .expired, nil, "expired before it could be sent")
    }
    return false
  }

  private func note(_ notes: BuildNotes) {
    if notes.changes.isEmpty { return }
    if !notes.changes.isDisjoint(with: [.body, .subtitle, .title]) { metrics.textShortened.add() }
    if notes.changes.contains(.unicode) { metrics.textRepaired.add() }
  }

  // MARK: After the answer

  private func conclude(_ job: Dispatcher<OpenItem>.Job, _ outcome: SendOutcome, _ lane: Lane) {
    metrics.sendDuration.record(nanoseconds: lane.took)
    let attempted = Attempted(
      startedAt: lane.startedAt, took: lane.took,
      apnsID: writesReceipts && lane.isBuilt ? lane.request.apnsID : [])
    let open = job.item
    let handles = pushMetrics[job.group]
    if case .answered(let answer, .accepted) = outcome {
      unreachable[job.group] = 0
      brakes[job.group].accepted()
      handles.attempts(status: answer.status).add()
      handles.accepted.add()
      open.done.insert(job.target)
      open.unwritten += 1
      noteEnd(open, job.target, .accepted, answer, attempted)
      writeProgressIfDue(open)
      return
    }
    concludeFailure(job, outcome, lane.request, attempted)
  }

  private func concludeFailure(
    _ job: Dispatcher<OpenItem>.Job, _ outcome: SendOutcome, _ request: PushRequest,
    _ attempted: Attempted
  ) {
    let open = job.item
    if isCutOff, case .neverSent = outcome {
      // A stop took it back before it left, which says nothing about the provider.
      return withhold(open, job.target)
    }
    let handles = pushMetrics[job.group]
    var answer: Answer?
    var detail = ""
    switch outcome {
    case .answered(let said, _):
      answer = said
      detail = said.detail
      unreachable[job.group] = 0
      handles.attempts(status: said.status).add()
    case .neverSent(let trouble) where trouble.kind == .breaker:
      return park(open, job.target)
    case .neverSent(let trouble):
      unreachable[job.group] += 1
      handles.unanswered.add()
      detail = trouble.detail
    case .unknown(let trouble):
      handles.unanswered.add()
      detail = trouble.detail
    }
    var random = SystemRandomNumberGenerator()
    var decision = policy.decide(outcome, attempt(job), random: &random)
    // The breaker has opened: what would be tried again waits for it, unspent.
    if case .again = decision, providers[job.group].gate == .shut {
      open.feed.parked.notePut(job.group)
      decision = .parked
    }
    report(job, outcome, decision, request)
    if awaitsBrake(job, outcome, decision, attempted) { return }
    record(open, job.target, decision, answer, detail, attempted)
  }

  private func attempt(_ job: Dispatcher<OpenItem>.Job) -> Attempt {
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
    attempt.unreachable = unreachable[job.group]
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
      if target.credential >= 0 { pushMetrics[target.credential].invalidToken.add() }
      if !token.isHeld {
        metrics.invalidToken(target.provider, reason: answer?.reason ?? "", isKnown: true)
      }
    case .again(_, _, let cause):
      metrics.retried(target.provider, cause: WorkerMetrics.RetriedBecause(cause))
    case .dead(let reason):
      open.feed.metrics.deadLetters(reason).add()
      if target.credential >= 0 { pushMetrics[target.credential].dead.add() }
    case .expired:
      if target.credential >= 0 { pushMetrics[target.credential].expired.add() }
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
