import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The fetchers, one for each list: they take only what lanes can soon begin.
// Quiet: it takes nothing more. Drain and cancel: it has ended by then.
extension Shard {
  /// Items that a take is to bring now; 0 when it would be too few for a round trip.
  ///
  /// What a list's lanes hold may be open at once, and what is taken ahead; what other lists hold of
  /// the lanes it cannot soon begin. So all lists together hold the lanes' and what is ahead for
  /// each.
  private func credits(_ feed: Feed) -> Int {
    let (running, held) = (dispatcher.running(feed: feed.index), dispatcher.held(feed: feed.index))
    let lanes = max(0, wantedLanes - (dispatcher.running - running))
    let (room, ahead) = (sum(\.room), ahead)
    let targets = min(lanes, room < .max ? running + room : .max) + ahead - held
    // An item may have hundreds of targets, or none that has not ended.
    let credits = min(targets, lanes + reserve - (feed.open.count - resting(feed)), 256)
    let half = ahead < reserve ? ahead / 2 : min(lanes + reserve, 256) / 2
    // Beside credentials that keep their lanes and their share there is less.
    return credits < (hasCrowded(feed) ? ahead / 4 : half) ? 0 : credits
  }

  /// Of all credentials together.
  private func sum(_ number: (any PushProvider) -> Int) -> Int {
    outlets.reduce(0) { sum, outlet in
      let more = number(outlet.provider)
      return more == .max || sum == .max ? .max : sum + more
    }
  }

  /// Targets of a list that may wait for lanes, however fast these are.
  var reserve: Int { min(max(wantedLanes, 8), 256) }

  /// Targets of a list that wait for lanes so that these never wait for Redis: as many as there are
  /// lanes, but where the rate is limited no more than may wait behind them.
  var ahead: Int { min(reserve, max(64, sum(\.depth))) }

  /// A list that had no room for so long is cramped: a handshake, a slow answer or a pause of the
  /// machine is no hang.
  static let patience: Int64 = 2_000_000_000

  func runFetcher(_ index: Int) async {
    let feed = feeds[index]
    await learnFleet(feed)
    while phase == .running {
      if feed.news.isPaused || isHeld || feed.trouble != nil {
        await pause(.milliseconds(200))
        continue
      }
      look()
      let credits = credits(feed)
      if credits <= 0 || feed.unsplitBytes > SplitLine.mostBytes {
        await waitForRoom(feed)
        continue
      }
      feed.crampedSince = 0
      await fetch(feed, credits)
    }
  }

  /// The first list's control says which apps are paused: the others wait for it for a moment, but
  /// not for its trouble.
  private func learnFleet(_ feed: Feed) async {
    let end = clock.monotonic() + 2_000_000_000
    while feed.index > 0, !isFleetKnown, phase == .running, clock.monotonic() < end {
      await pause(.milliseconds(20))
    }
  }

  private func waitForRoom(_ feed: Feed) async {
    // With one credential nobody else waits.
    guard outlets.count > 1 else { return await feed.fetchWake.wait() }
    let now = clock.monotonic()
    if feed.crampedSince == 0 { beginCramped(feed, now) }
    relieve(feed, after: now - feed.crampedSince)
    if now - feed.crampedSince >= Self.patience { beginCramped(feed, now) }
    feed.cramped?.arm(afterNanoseconds: Standstill.spacing)
    await feed.fetchWake.wait()
  }

  private func fetch(_ feed: Feed, _ credits: Int) async {
    // What waits to be settled goes out in the same write as the take.
    if !feed.completer.isEmpty {
      feed.completer.wake.raise()
      await Task.yield()
    }
    do throws(QueueError) {
      var batch = try await feed.queue.take(order(feed, credits))
      noteTaken(feed, batch)
      let isEmpty = batch.items.isEmpty
      accept(feed, batch.takeItems())
      endCrowding(feed)
      if isEmpty { await waitForWork(feed, nextDue: batch.nextDue) }
    } catch {
      await queueFailed(feed, error)
    }
  }

  /// With one credential nobody else waits for it.
  private func look() {
    guard outlets.count > 1 else { return }
    let hasLooked = standstill.look(clock.monotonic()) { group in
      (dispatcher.finished(group: group), dispatcher.running(group: group))
    }
    if hasLooked, dispatcher.mark({ standstill.isStill($0) }) { startLanes() }
  }

  private func beginCramped(_ feed: Feed, _ now: Int64) {
    feed.crampedSince = now
    for group in outlets.indices {
      feed.finishedBefore[group] = dispatcher.finished(group: group)
    }
  }

  /// Parked items come first, and leave half to the others.
  private func order(_ feed: Feed, _ credits: Int) -> TakeOrder {
    let parked = feed.parked.order(now: clock.monotonic(), most: max(1, credits / 2)) {
      room(feed, $0)
    }
    return TakeOrder(credits, parked: parked)
  }

  private func noteTaken(_ feed: Feed, _ batch: Batch) {
    feed.lastTake = clock.monotonic()
    let now = clock.wall()
    feed.serverOffset = batch.serverTime - now
    metrics.lastTake.set(Int(now / 1_000))
    feed.parked.note(lengths: batch.parked)
    apply(feed, batch.news)
  }

  private func waitForWork(_ feed: Feed, nextDue: Duration?) async {
    guard phase == .running else { return }
    // What is parked and may be sent was held back with all the rest: the queue is paused, or tests
    // a suspect.
    let isDrawable = feed.parked.isDrawable { room(feed, $0) }
    let most = isDrawable ? Duration.milliseconds(50) : .seconds(5)
    // A little after the due time, and not all instances at once.
    let jitter = Duration.milliseconds(Int64.random(in: 0...20))
    await feed.queue.waitForWork(upTo: min(most, nextDue.map { $0 + jitter } ?? most))
  }

  func queueFailed(_ feed: Feed, _ error: QueueError) async {
    switch error.code {
    case .cancelled: return
    case .fenced: metrics.redisError(.fenced)
    case .unreachable:
      metrics.redisError(.unreachable)
      // The take may have run and its answer been lost: what it took is ours and unknown to us.
      feed.needsReconciling = true
    case .refusing, .misconfigured:
      metrics.redisError(error.code == .refusing ? .refusing : .misconfigured)
      // Refused in its middle it took some.
      feed.needsReconciling = true
    }
    if feed.reports.isDue(.take, error, now: clock.monotonic()) {
      log.warning(
        "redis does not serve the queue",
        [
          .queue: .text(feed.name), .code: .text("\(error.code)"), .detail: .text(error.detail),
        ])
    }
    // A person must act: until a beat says that all is well again, we are not ready.
    if error.code == .misconfigured { feed.trouble = error }
    await pause(.milliseconds(Int64.random(in: 50...500)))
  }

  /// Sleeps; ends early when the task is cancelled.
  func pause(_ duration: Duration) async { try? await loop.sleep(duration) }

  // MARK: From item to targets

  /// Decodes all before it begins any: so the decoder's instructions, which are nearly as many as the
  /// processor's first cache holds, are fetched once for a batch and not for each item. But a large
  /// item begins at once: it may be what keeps the next large one from being decoded.
  func accept(_ feed: Feed, _ items: consuming [QueueItem]) {
    let now = clock.wall()
    var decoded: [OpenItem] = []
    decoded.reserveCapacity(items.count)
    // From its end an array gives its elements away; to read them in place counts their owners anew.
    items.reverse()
    while let item = items.popLast() {
      let isLarge = SplitLine.isLarge(item)
      guard let open = decode(feed, item, now) else { continue }
      if isLarge { begin(open, now) } else { decoded.append(open) }
    }
    decoded.reverse()
    while let open = decoded.popLast() { begin(open, now) }
    startLanes()
  }

  private func decode(_ feed: Feed, _ item: consuming QueueItem, _ now: Int64) -> OpenItem? {
    if item.header.crashes >= ItemHeader.poisonCrashes {
      bury(feed, item, .poison(item), now)
      return nil
    }
    if splitLine.holds(item) {
      splitLine.append(.held(feed, item))
      return nil
    }
    let decoded = codec.decode(
      item.bytes, queueID: item.header.queueID, firstTaken: item.header.firstTaken, now: now)
    switch decoded {
    case .event(let event): return OpenItem(feed, item, event, takenAt: now)
    case .malformed(let fault):
      bury(feed, item, fault, now)
      return nil
    }
  }

  private func bury(_ feed: Feed, _ item: QueueItem, _ fault: ItemFault, _ now: Int64) {
    let facts = LetterFacts(
      fault, attempts: item.header.attempt, takenAt: now, deadAt: now, worker: feed.queue.instance,
      replays: item.header.replays)
    let letter = codec.deadLetter(bytes: item.bytes, event: nil, targets: nil, facts: facts)
    feed.metrics.deadLetters(fault.reason).add()
    log.warning(
      "an item is no event",
      [
        .queue: .text(feed.name), .reason: .text(fault.reason.rawValue),
        .detail: .text(fault.detail),
      ])
    settle(feed, Settlement(item.receipt, [.deadLetter(fault.reason, letter)]))
  }

  private func begin(_ open: OpenItem, _ now: Int64) {
    let event = open.event
    let due = event.notBefore * 1_000
    if due > now {
      let later = Leaving.again(at: due + open.feed.serverOffset, open.item.header)
      settle(open.feed, Settlement(open.item.receipt, [later]))
      open.forgetEvent()
      return
    }
    open.feed.open[ReceiptKey(open.item.receipt)] = open
    if isSplit(open) { return }
    if open.item.header.attempt == 0 {
      metrics.queueAge.record(.milliseconds(max(0, now - event.sentAtMs)))
      if event.unknownFields > 0 { metrics.unknownFields.add(event.unknownFields) }
    }
    admission.begin()
    let left = event.targetCount - open.done.count
    open.feed.targetsPerItem += (Double(left) - open.feed.targetsPerItem) / 16
    for target in 0..<event.targetCount where !open.done.contains(target) {
      enqueue(open, event, target)
    }
    if open.remaining == 0 { finish(open) }
  }

  private func enqueue(_ open: OpenItem, _ event: DecodedEvent, _ target: Int) {
    if let fault = event.fault(of: target) {
      record(open, target, .dead(fault.reason), nil, fault.detail)
      return
    }
    let group = event.target(target).credential
    let isBlocked = admission.isBlocked(group) { mustPark(open.feed, group) }
    if isBlocked { return park(open, target) }
    open.remaining += 1
    open.unbuilt += 1
    dispatcher.add(
      Lane.Job(
        item: open, target: target, feed: open.feed.index, group: group))
  }
}

extension ItemFault {
  /// Buried without being decoded, since that may be what ends the process.
  fileprivate static func poison(_ item: QueueItem) -> ItemFault {
    ItemFault(
      reason: .poison, detail: "\(item.header.crashes) workers ended while they held it",
      id: item.header.id)
  }
}
