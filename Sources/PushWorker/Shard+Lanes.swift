import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The lanes: long-lived worker tasks, each with one push at a time.
// Quiet: they go on. Drain: each ends when nothing waits. Cancel: their open requests end as
// "unknown" when the providers shut down.
extension Shard {
  func runLane() async {
    let lane = Lane()
    while true {
      var next = nextJob()
      if next == nil, mayIdle {
        idleLanes.append(lane)
        // Here, not in a function of the lane: nothing comes between, and no frame of it is kept.
        await unsafe withUnsafeContinuation { unsafe lane.waits($0) }
        next = lane.takeJob()
      }
      guard let job = next else { break }
      var mayStart = !isLeaseOver(job)
      if !mayStart { mayStart = await leaseReturns(job) }
      mayStart = mayStart && !job.item.isStale
      if mayStart, let now = built(job, lane) {
        let started = clock.monotonic()
        let outcome = await providers[job.group].send(lane.request)
        conclude(job, outcome, lane, startedAt: now, took: clock.monotonic() - started)
      }
      ended(job, wasStarted: mayStart)
    }
    lanes -= 1
  }

  private func nextJob() -> Dispatcher<OpenItem>.Job? {
    lanes > wantedLanes ? nil : dispatcher.next(lanes: wantedLanes)
  }

  private var mayIdle: Bool { lanes <= wantedLanes && phase == .running }

  private func ended(_ job: Dispatcher<OpenItem>.Job, wasStarted: Bool) {
    dispatcher.finished(feed: job.feed, group: job.group)
    // What was not started stays in Redis as it is, and is handed back.
    if !wasStarted && !job.item.isStale { return }
    if !wasStarted { withhold(job.item, job.target) }
    job.item.remaining -= 1
    if job.item.remaining == 0 { finish(job.item) }
  }

  /// Hands waiting targets to idle lanes, the one used last first: its memory is warm.
  func wakeLanes() {
    while let lane = idleLanes.last, let job = dispatcher.next(lanes: wantedLanes) {
      idleLanes.removeLast()
      lane.resume(job)
    }
  }

  /// Past the lease's local deadline nothing may be started: another instance may have the item.
  private func isLeaseOver(_ job: Dispatcher<OpenItem>.Job) -> Bool {
    clock.monotonic() >= job.item.feed.queue.startDeadline
  }

  /// Waits until the lease is renewed; false when it never will be for this item.
  private func leaseReturns(_ job: Dispatcher<OpenItem>.Job) async -> Bool {
    while isLeaseOver(job) {
      if job.item.isStale || isCutOff { return false }
      await pause(.milliseconds(50))
    }
    return true
  }

  /// Builds the message into the lane; the wall clock's milliseconds, or nil when there is nothing
  /// to be sent.
  private func built(_ job: Dispatcher<OpenItem>.Job, _ lane: Lane) -> Int64? {
    let open = job.item
    if isShut(job.group) {
      park(open, job.target)
      return nil
    }
    let now = clock.wall()
    switch codec.build(open.event, target: job.target, now: now, into: lane.request) {
    case .built(let notes):
      note(notes)
      open.unbuilt -= 1
      // A receipt tells of the event, however it ends.
      if open.unbuilt == 0, !writesReceipts { open.forgetEvent() }
      lane.request.precedence = open.feed.precedence
      return now
    case .failed(let reason, let detail):
      record(open, job.target, .dead(reason), nil, detail)
    case .expired:
      record(open, job.target, .expired, nil, "expired before it could be sent")
    }
    return nil
  }

  private func note(_ notes: BuildNotes) {
    if notes.changes.isEmpty { return }
    if !notes.changes.isDisjoint(with: [.body, .subtitle, .title]) { metrics.textShortened.add() }
    if notes.changes.contains(.unicode) { metrics.textRepaired.add() }
  }

  // MARK: After the answer

  private func conclude(
    _ job: Dispatcher<OpenItem>.Job, _ outcome: SendOutcome, _ lane: Lane, startedAt: Int64,
    took: Int64
  ) {
    metrics.sendDuration.record(nanoseconds: took)
    let attempted = Attempted(
      startedAt: startedAt, took: took, apnsID: writesReceipts ? lane.request.apnsID : [])
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
