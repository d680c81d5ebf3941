import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The fetcher: takes only what lanes can soon begin.
// Quiet: it takes nothing more. Drain and cancel: it has ended by then.
extension Shard {
  /// Items that may be open at once: what the lanes hold and as much again, so that lanes never
  /// wait for Redis.
  var capacity: Int { wantedLanes + min(max(wantedLanes, 8), 256) }

  func runFetcher() async {
    while phase == .running {
      if news.isPaused || isHeld || trouble != nil {
        await pause(.milliseconds(200))
        continue
      }
      let credits = min(capacity - open.count, 256)
      // Never a round trip for each finished send: half a batch must be free.
      if credits * 2 < min(capacity, 256) {
        await fetchWake.wait()
        continue
      }
      await fetch(credits)
    }
  }

  private func fetch(_ credits: Int) async {
    // What waits to be settled goes out in the same write as the take.
    if !completer.isEmpty {
      completer.wake.raise()
      await Task.yield()
    }
    do throws(QueueError) {
      let batch = try await queue.take(credits)
      noteTaken(batch)
      for item in batch.items { accept(item) }
      if batch.items.isEmpty { await waitForWork(nextDue: batch.nextDue) }
    } catch {
      await queueFailed(error)
    }
  }

  private func noteTaken(_ batch: Batch) {
    lastTake = clock.monotonic()
    let now = clock.wall()
    serverOffset = batch.serverTime - now
    metrics.lastTake.set(Int(now / 1_000))
    apply(batch.news)
  }

  private func waitForWork(nextDue: Duration?) async {
    let most = Duration.seconds(5)
    guard phase == .running else { return }
    // A little after the due time, and not all instances at once.
    let jitter = Duration.milliseconds(Int64.random(in: 0...20))
    await queue.waitForWork(upTo: min(most, nextDue.map { $0 + jitter } ?? most))
  }

  func queueFailed(_ error: QueueError) async {
    switch error.code {
    case .cancelled: return
    case .fenced: metrics.redisError(.fenced)
    case .unreachable:
      metrics.redisError(.unreachable)
      // The take may have run and its answer been lost: what it took is ours and unknown to us.
      needsReconciling = true
    case .refusing: metrics.redisError(.refusing)
    case .misconfigured: metrics.redisError(.misconfigured)
    }
    log.warning(
      "redis does not serve the queue",
      [
        .queue: .text(queue.name), .code: .text("\(error.code)"), .detail: .text(error.detail),
      ])
    await pause(.milliseconds(Int64.random(in: 50...500)))
  }

  /// Sleeps; ends early when the task is cancelled.
  func pause(_ duration: Duration) async { try? await loop.sleep(duration) }

  // MARK: From item to targets

  func accept(_ item: QueueItem) {
    let now = clock.wall()
    if item.header.crashes >= ItemHeader.poisonCrashes { return bury(item, .poison(item), now) }
    let decoded = codec.decode(
      item.bytes, queueID: item.header.id, firstTaken: item.header.firstTaken, now: now)
    switch decoded {
    case .malformed(let fault): bury(item, fault, now)
    case .event(let event): begin(OpenItem(item, event, takenAt: now), now)
    }
  }

  private func bury(_ item: QueueItem, _ fault: ItemFault, _ now: Int64) {
    let facts = LetterFacts(
      fault, attempts: item.header.attempt, takenAt: now, deadAt: now, worker: queue.instance,
      replays: item.header.replays)
    let letter = codec.deadLetter(bytes: item.bytes, event: nil, targets: nil, facts: facts)
    queueMetrics.deadLetters(fault.reason).add()
    log.warning(
      "an item is no event",
      [
        .queue: .text(queue.name), .reason: .text(fault.reason.rawValue),
        .detail: .text(fault.detail),
      ])
    settle(Settlement(item.receipt, [.deadLetter(fault.reason, letter)]))
  }

  private func begin(_ open: OpenItem, _ now: Int64) {
    let event = open.event
    let due = event.notBefore * 1_000
    if due > now {
      settle(Settlement(open.item.receipt, [.again(at: due + serverOffset, open.item.header)]))
      codec.recycle(event)
      return
    }
    self.open[open.item.receipt] = open
    if open.item.header.attempt == 0 {
      metrics.queueAge.record(.milliseconds(max(0, now - event.sentAtMs)))
    }
    for target in event.targets.indices where !open.done.contains(target) {
      enqueue(open, target)
    }
    if open.remaining == 0 { finish(open) } else { wakeLanes() }
  }

  private func enqueue(_ open: OpenItem, _ target: Int) {
    if let fault = open.event.fault(of: target) {
      record(open, target, .dead(fault.reason), nil, fault.detail)
      return
    }
    open.remaining += 1
    let group = open.event.targets[target].credential
    dispatcher.add(Dispatcher<OpenItem>.Job(item: open, target: target, group: group))
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
