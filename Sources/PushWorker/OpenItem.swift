import PushCodec
import PushModel

/// One item under way: from take until its settlement is known to Redis.
final class OpenItem {
  let feed: Feed
  let item: QueueItem
  /// When it was taken, UNIX milliseconds.
  let takenAt: Int64
  /// Known without its event.
  let targetCount: Int
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
  /// Targets that wait for a lane, whose messages are not built yet.
  var unbuilt = 0
  /// The lease it was taken under.
  private let lease: Int
  private var decoded: DecodedEvent?
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

  init(
    _ feed: Feed, _ item: consuming QueueItem, _ event: consuming DecodedEvent, takenAt: Int64
  ) {
    self.feed = feed
    lease = feed.lease
    // Below 0 it comes from a parked list, or from one who held it when it had been drawn.
    let parked = item.header.parked
    self.parked = parked < 0 ? max(0, parked + takenAt + feed.serverOffset) : parked
    targetCount = event.targetCount
    decoded = event
    self.takenAt = takenAt
    done = item.header.done
    self.item = item
  }

  /// What its bytes say. After `forgetEvent` they are decoded once more.
  var event: DecodedEvent {
    if let decoded { return decoded }
    let event = decodeAgain()
    decoded = event
    return event
  }

  private func decodeAgain() -> DecodedEvent {
    let again = feed.codec.decode(
      item.bytes, queueID: item.header.queueID, firstTaken: item.header.firstTaken, now: takenAt)
    guard case .event(let event) = again else {
      preconditionFailure("the same bytes at the same moment were an event before")
    }
    return event
  }

  /// Builds the message of a target into `request`.
  /// - Parameters:
  ///   - now: UNIX milliseconds.
  ///   - codec: the feed's; to reach it from here would count one more owner.
  ///   - isNeeded: somebody reads the event afterwards; else it is given back after the last target.
  func build(
    _ target: Int, now: Int64, into request: PushRequest, by codec: MessageCodec, isNeeded: Bool
  ) -> BuildResult {
    // Taken out meanwhile: to read it where it is would count one more owner.
    let event = decoded.take() ?? decodeAgain()
    let result = codec.build(event, target: target, now: now, into: request)
    if case .built = result {
      unbuilt -= 1
      if unbuilt == 0, !isNeeded {
        codec.recycle(consume event)
        return result
      }
    }
    decoded = consume event
    return result
  }

  /// Gives the decoded event back for the next one to be decoded into, while its memory is in the
  /// processor's caches: a push that is accepted, as nearly all are, needs it no more once its
  /// message is built.
  func forgetEvent() {
    if let event = decoded.take() { feed.codec.recycle(consume event) }
  }
}
