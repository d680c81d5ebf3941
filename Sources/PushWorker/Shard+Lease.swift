import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// The heartbeats, one for each list: they keep the lease, listen to the fleet, and return the items
// of the dead.
// Quiet and drain: it goes on, since items are still ours. Cancel: it ends.
extension Shard {
  func runHeartbeat(_ index: Int) async {
    let feed = feeds[index]
    await join(feed)
    var beats = 0
    while !Task.isCancelled {
      await beat(feed)
      await recoverIfDue(feed)
      beats += 1
      if feed.needsReconciling || beats % 10 == 0 { await reconcile(feed) }
      // Not all instances at once.
      await pause(feed.beatInterval * Double.random(in: 0.9...1.1))
    }
  }

  /// Takes a lease, for ever; without one nothing is taken.
  private func join(_ feed: Feed) async {
    feed.trouble = QueueError(.unreachable, "not joined yet")
    var pause = Duration.milliseconds(50)
    while !Task.isCancelled {
      do throws(QueueError) {
        try await feed.queue.join()
        feed.trouble = nil
        feed.lastBeat = clock.monotonic()
        return
      } catch {
        feed.trouble = error
        if feed.reports.isDue(.join, error, now: clock.monotonic()) {
          log.warning(
            "the queue cannot be joined",
            [
              .queue: .text(feed.name), .code: .text("\(error.code)"),
              .detail: .text(error.detail),
            ])
        }
      }
      await self.pause(pause)
      pause = min(pause * 2, .seconds(5))
    }
  }

  private func beat(_ feed: Feed) async {
    status.capacity = wantedLanes
    status.busy = dispatcher.running
    metrics.workersBusy.set(dispatcher.running)
    showParked()
    let sent = clock.monotonic()
    do throws(QueueError) {
      let news = try await feed.queue.beat(status)
      feed.lastBeat = clock.monotonic()
      metrics.redisRoundTrip.record(nanoseconds: feed.lastBeat - sent)
      apply(feed, news)
      if feed.trouble != nil {
        feed.trouble = nil
        await reconcile(feed)
      }
    } catch {
      feed.trouble = error
      if error.code == .fenced {
        metrics.redisError(.fenced)
        await rejoin(feed)
      } else if error.code != .cancelled,
        feed.reports.isDue(.beat, error, now: clock.monotonic())
      {
        log.warning(
          "the lease could not be renewed",
          [
            .queue: .text(feed.name), .code: .text("\(error.code)"), .detail: .text(error.detail),
          ])
      }
    }
  }

  /// The lease was lost: others may have our items, so what has not begun is given up.
  private func rejoin(_ feed: Feed) async {
    log.warning("the lease was lost; joining again", [.queue: .text(feed.name)])
    feed.lease += 1
    let receipts = giveUpWaiting(feed)
    await join(feed)
    do throws(QueueError) {
      try await feed.queue.putBack(receipts)
    } catch {
      log.debug("abandoned items are left to reconciliation", [.detail: .text(error.detail)])
    }
    await reconcile(feed)
  }

  /// Items of which nothing was begun; they go back as they are. Of the others only what waits is
  /// withheld: their results are settled, which does no harm to an item of another instance.
  private func giveUpWaiting(_ feed: Feed) -> [Receipt] {
    var touched: [Receipt: OpenItem] = [:]
    let waiting = dispatcher.removeWaiting(feed: feed.index)
    for job in waiting {
      job.item.remaining -= 1
      touched[job.item.item.receipt] = job.item
    }
    var untouched: [Receipt] = []
    for (receipt, item) in touched where item.remaining == 0 && item.done == item.item.header.done {
      untouched.append(receipt)
      feed.open[ReceiptKey(receipt)] = nil
      item.forgetEvent()
    }
    for job in waiting where feed.open[ReceiptKey(job.item.item.receipt)] === job.item {
      withhold(job.item, job.target)
    }
    untouched += giveUpUnsplit(feed)
    for item in touched.values
    where item.remaining == 0 && feed.open[ReceiptKey(item.item.receipt)] === item { finish(item) }
    feed.fetchWake.raise()
    return untouched.sorted()
  }

  /// The target goes back unspent, as a part of its item.
  func withhold(_ item: OpenItem, _ target: Int) {
    item.done.insert(target)
    item.failures.append(
      OpenItem.Failure(
        target: target, decision: .again(after: .zero, spent: false, because: .unknown),
        answer: nil, detail: ""))
  }

  /// Every instance looks for dead ones every 3 s, however short the lease.
  private func recoverIfDue(_ feed: Feed) async {
    let now = clock.monotonic()
    if feed.lastRecovery > now - 2_600_000_000 { return }
    feed.lastRecovery = now
    await recover(feed)
  }

  private func recover(_ feed: Feed) async {
    do throws(QueueError) {
      let count = try await feed.queue.recover()
      if count > 0 {
        metrics.recoveredItems.add(count)
        log.info(
          "items of a dead instance are back",
          [
            .queue: .text(feed.name), .items: .count(count),
          ])
      }
    } catch {
      if error.code != .cancelled {
        log.debug("recovery did not run", [.detail: .text(error.detail)])
      }
    }
  }

  private func reconcile(_ feed: Feed) async {
    guard phase == .running else { return }
    do throws(QueueError) {
      feed.needsReconciling = false
      for item in try await feed.queue.reconcile()
      where feed.open[ReceiptKey(item.receipt)] == nil {
        accept(feed, [item])
      }
    } catch {
      feed.needsReconciling = true
      log.debug("reconciliation did not run", [.detail: .text(error.detail)])
    }
  }

  /// Follows what operators said through Redis. What concerns the fleet stands with the first list.
  func apply(_ feed: Feed, _ news: FleetNews) {
    if feed.index == 0 {
      if news != feed.news { onNews?(news) }
      follow(pausedApps: news.pausedApps)
    }
    if news.deadLettersWaiting > 0, feed.news.deadLettersWaiting == 0 {
      log.error(
        "the list of dead letters is full: new ones wait for room; retry, purge or export some",
        [.queue: .text(feed.queue.name), .items: .count(news.deadLettersWaiting)])
    }
    feed.news = news
  }
}
