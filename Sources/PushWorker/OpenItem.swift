import PushCodec
import PushModel

/// One item under way: from take until its settlement is known to Redis.
final class OpenItem {
  let feed: Feed
  let item: QueueItem
  let event: DecodedEvent
  /// When it was taken, UNIX milliseconds.
  let takenAt: Int64
  /// Milliseconds in parked lists so far.
  let parked: Int64
  /// Targets that a lane has still to end.
  var remaining = 0
  /// Of these, targets whose token waits for the brake.
  var suspects = 0
  /// Targets that did not end well, until they are written.
  var failures: [Failure] = []
  /// Receipts of ended targets, until they are written.
  var receipts: [TargetReceipt] = []
  /// Targets for which nothing more is to be done, in Redis or in `unwritten`.
  var done: TargetSet
  /// Targets ended since the last progress was written.
  var unwritten = 0
  /// The lease it was taken under.
  private let lease: Int
  /// Another instance may own it by now: nothing of it is started any more. What was sent is still
  /// settled, since the settlement's gate knows whose it is.
  var isStale: Bool { lease != feed.lease }

  /// How one target failed.
  struct Failure {
    let target: Int
    let decision: Decision
    /// What the provider answered, if it did.
    let answer: Answer?
    /// For a letter: field, value and limit; never a token.
    let detail: String
  }

  init(_ feed: Feed, _ item: QueueItem, _ event: DecodedEvent, takenAt: Int64) {
    self.feed = feed
    lease = feed.lease
    self.item = item
    // Below 0 it comes from a parked list, or from one who held it when it had been drawn.
    let parked = item.header.parked
    self.parked = parked < 0 ? max(0, parked + takenAt + feed.serverOffset) : parked
    self.event = event
    self.takenAt = takenAt
    done = item.header.done
  }
}
