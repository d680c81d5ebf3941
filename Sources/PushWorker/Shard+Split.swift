import LoopIO
import PushCodec
import PushModel
import PushTelemetry

/// Large events that wait to be split. One is split at a time, and of those behind it that would
/// take much memory only the bytes are kept.
final class SplitLine {
  /// Items of this size are decoded when their turn comes.
  private static let heldSize = 262_144
  /// Bytes in line from which a list takes nothing more.
  static let mostBytes = 1_048_576

  enum Entry {
    case open(OpenItem)
    case held(Feed, QueueItem)

    var feed: Feed {
      switch self {
      case .open(let item): item.feed
      case .held(let feed, _): feed
      }
    }

    var item: QueueItem {
      switch self {
      case .open(let open): open.item
      case .held(_, let item): item
      }
    }
  }

  let wake = Signal()
  private var entries: [Entry] = []
  /// One is being split.
  var isBusy = false
  /// One whose turn has come is being decoded.
  var isDecoding = false
  var hasEnded = false

  /// A large item whose turn has not come is not even decoded.
  func holds(_ item: QueueItem) -> Bool {
    Self.isLarge(item) && !isDecoding && (isBusy || !entries.isEmpty)
  }

  static func isLarge(_ item: QueueItem) -> Bool { item.bytes.count > heldSize }

  func append(_ entry: Entry) {
    entries.insert(entry, at: isDecoding ? 0 : entries.count)
    entry.feed.unsplitBytes += entry.item.bytes.count
    wake.raise()
  }

  func popFirst() -> Entry? {
    if entries.isEmpty { return nil }
    let entry = entries.removeFirst()
    entry.feed.unsplitBytes -= entry.item.bytes.count
    return entry
  }

  /// Takes out what one list has in line.
  func removeAll(of feed: Feed) -> [Entry] {
    let removed = entries.filter { $0.feed === feed }
    entries.removeAll { $0.feed === feed }
    feed.unsplitBytes = 0
    return removed
  }
}

// The splitter: cuts large events into chunks that any instance may take. Between its steps other
// work goes on.
// Quiet: it ends after the step under way. Drain and cancel: it has ended; what is left of the event
// is handed back with its marks.
extension Shard {
  func runSplitter() async {
    while phase == .running {
      guard let entry = splitLine.popFirst() else {
        await splitLine.wake.wait()
        continue
      }
      await split(entry)
      entry.feed.fetchWake.raise()
    }
    splitLine.hasEnded = true
  }

  private func split(_ entry: SplitLine.Entry) async {
    switch entry {
    case .held(let feed, let item):
      // It is split next, or dealt out when it has few targets.
      splitLine.isDecoding = true
      accept(feed, [item])
      splitLine.isDecoding = false
    case .open(let open):
      splitLine.isBusy = true
      await split(open)
      splitLine.isBusy = false
    }
  }

  /// True when the event is large: then its turn to be split will come.
  func isSplit(_ open: OpenItem) -> Bool {
    if open.targetCount <= EventSplitter.largest { return false }
    let event = open.event
    let left = event.targetCount - open.done.count
    let size = EventSplitter.chunkSize(of: event, codec)
    guard EventSplitter.isLarge(left, chunkSize: size) else { return false }
    splitLine.append(.open(open))
    return true
  }

  private func split(_ open: OpenItem) async {
    guard await fileFaults(open) else { return await giveBack(open) }
    let size = EventSplitter.chunkSize(of: open.event, codec)
    var splitter = EventSplitter(open.item, open.event, done: open.done, size: size)
    while let step = splitter.nextStep(codec) {
      guard await write(step, of: open) else { return await giveBack(open) }
      // Idle lanes wait for the chunks.
      open.feed.wake()
      if step.isLast { return close(open) }
    }
    // Faulty targets only.
    finish(open)
  }

  /// Targets whose fault is known leave before the first chunk and are marked, so that they leave
  /// once, whatever happens to the rest. False when the item must be read again.
  private func fileFaults(_ open: OpenItem) async -> Bool {
    for target in open.event.targets.indices where !open.done.contains(target) {
      if let fault = open.event.fault(of: target) {
        fail(open, target, .dead(fault.reason), nil, fault.detail)
      }
    }
    if open.unwritten == 0 { return true }
    let step = takeProgress(open)
    do throws(QueueError) {
      return try await open.feed.queue.progress(step)
    } catch {
      // It may have run: the marks that Redis has will tell.
      report(error, of: open)
      return false
    }
  }

  /// Tries until Redis has it, which knows a step that it has done. False when the item is not ours,
  /// or the worker ends.
  private func write(_ step: SplitStep, of open: OpenItem) async -> Bool {
    var pause = Duration.milliseconds(50)
    while phase == .running, !open.isStale {
      do throws(QueueError) {
        return try await open.feed.queue.split(step)
      } catch {
        report(error, of: open)
        if error.code == .cancelled { return false }
      }
      await self.pause(pause)
      pause = min(pause * 2, .seconds(5))
    }
    return false
  }

  private func report(_ error: QueueError, of open: OpenItem) {
    log.warning(
      "a large event could not be split yet",
      [
        .queue: .text(open.feed.name), .code: .text("\(error.code)"),
        .detail: .text(error.detail),
      ])
  }

  /// The item goes home with the marks that Redis has, and is read again.
  private func giveBack(_ open: OpenItem) async {
    let (feed, receipt) = (open.feed, open.item.receipt)
    close(open)
    // At the end all that is ours goes home in one step.
    guard phase == .running else { return }
    do throws(QueueError) {
      try await feed.queue.putBack([receipt])
    } catch {
      feed.needsReconciling = true
    }
  }

  /// What waits to be split when the lease is lost: nothing of it was begun.
  func giveUpUnsplit(_ feed: Feed) -> [Receipt] {
    splitLine.removeAll(of: feed).map { entry in
      if case .open(let open) = entry { close(open) }
      return entry.item.receipt
    }
  }

  private func close(_ open: OpenItem) {
    open.feed.open[ReceiptKey(open.item.receipt)] = nil
    open.forgetEvent()
  }
}
