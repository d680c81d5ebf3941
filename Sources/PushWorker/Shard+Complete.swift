import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

// Settling: what items leave is written in batches.
extension Shard {
  /// All targets of the item have ended.
  func finish(_ item: OpenItem) {
    settle(item.feed, Settlement(item.item.receipt, leaves(of: item)))
    item.forgetEvent()
  }

  func settle(_ feed: Feed, _ settlement: Settlement) {
    if feed.completer.add(settlement) {
      feed.completerTimer?.arm(afterNanoseconds: Completer.patience)
    }
  }

  /// A large event's finished targets are written every 64, with what they leave, in one step: a
  /// crash then repeats few of them (QUEUE 3, progress).
  func writeProgressIfDue(_ item: OpenItem) {
    if item.unwritten >= 64, item.remaining > 1 { writeProgress(item) }
  }

  func writeProgress(_ item: OpenItem) {
    if item.unwritten == 0 { return }
    let step = takeProgress(item)
    if item.feed.completer.add(step) {
      item.feed.completerTimer?.arm(afterNanoseconds: Completer.patience)
    }
  }

  func takeProgress(_ item: OpenItem) -> ItemProgress {
    item.unwritten = 0
    return ItemProgress(item.item.receipt, done: item.done, leaves: leaves(of: item))
  }

  private func leaves(of item: OpenItem) -> [Leaving] {
    if item.failures.isEmpty { return receipts(of: item) }
    let leavings = Leavings(
      codec: codec, worker: item.feed.queue.instance, now: clock.wall(),
      serverOffset: item.feed.serverOffset)
    return leavings.write(item) + receipts(of: item)
  }

  private func receipts(of item: OpenItem) -> [Leaving] {
    if item.receipts.isEmpty { return [] }
    defer { item.receipts = [] }
    return item.receipts.map { .receipt($0) }
  }

  func runCompleter(_ index: Int) async {
    let feed = feeds[index]
    while true {
      if feed.completer.isEmpty {
        if phase == .ended { break }
        await feed.completer.wake.wait()
        continue
      }
      await flush(feed)
    }
    feed.completerHasEnded = true
  }

  /// Both are taken at once: while steps are written, others may come with the end of their item,
  /// and an item that is gone takes no step any more.
  private func flush(_ feed: Feed) async {
    let (steps, batch) = (feed.completer.takeProgress(), feed.completer.takeSettlements())
    for step in steps {
      let isWritten = await insist(feed) { () async throws(QueueError) in
        _ = try await feed.queue.progress(step)
      }
      guard isWritten else { return feed.completer.abandon() }
    }
    if batch.isEmpty { return }
    let isWritten = await insist(feed) { () async throws(QueueError) in
      let ours = try await feed.queue.settle(batch)
      let fenced = ours.count { !$0 }
      if fenced > 0 { metrics.fencedAcks.add(fenced) }
    }
    guard isWritten else { return feed.completer.abandon() }
    var hasRetries = false
    for settlement in batch {
      feed.open[ReceiptKey(settlement.receipt)] = nil
      for case .again in settlement.leaves { hasRetries = true }
    }
    // The fetcher may wait for longer than until these are due.
    if hasRetries || feed.parked.isDrawable(room: { room(feed, $0) }) { feed.queue.wake() }
    feed.fetchWake.raise()
  }

  /// Tries until Redis takes it: results are never thrown away. False at the end of a shutdown: then
  /// the items stay in Redis and another instance takes them.
  private func insist(
    _ feed: Feed, _ write: () async throws(QueueError) -> Void
  ) async -> Bool {
    var pause = Duration.milliseconds(50)
    while true {
      do throws(QueueError) {
        try await write()
        return true
      } catch {
        if error.code == .fenced { return true }
        if feed.reports.isDue(.results, error, now: clock.monotonic()) {
          log.warning(
            "results could not be stored yet",
            [
              .queue: .text(feed.name), .code: .text("\(error.code)"),
              .detail: .text(error.detail),
            ])
        }
        if phase == .ended { return false }
        // A person must act: what is finished is kept, and nothing more is taken meanwhile.
        if error.code == .misconfigured { feed.trouble = error }
      }
      await self.pause(pause)
      pause = min(pause * 2, .seconds(5))
    }
  }
}
