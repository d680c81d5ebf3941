package import PushModel

/// One list of events with its companions, as the worker sees it: the seam to Redis.
///
/// A conformer is bound to one loop and is one *instance*: it owns a lease and what it took. Two
/// conform, the Redis queue and one in memory, and both pass the same conformance suite.
package protocol JobQueue: AnyObject {
  /// The name producers push to, such as `push:messages`.
  var name: String { get }
  /// The instance, `<random>.<shard>`, new at every start.
  var instance: String { get }
  /// Until when (monotonic nanoseconds) a send may be started; past it the lease may be taken.
  var startDeadline: Int64 { get }

  /// Takes a lease. Must have succeeded before `take`.
  func join() async throws(QueueError)
  /// Renews the lease. Throws `.fenced` when it was lost: join again, then `reconcile`.
  func beat(_ status: InstanceStatus) async throws(QueueError) -> FleetNews
  /// Takes up to `want` items: due retries, then parked ones, then chunks, then fresh ones.
  func take(_ order: TakeOrder) async throws(QueueError) -> Batch
  /// Ends items and writes what they leave, each atomically. The answer tells, in order, which
  /// were still ours; the others had been recovered and were left alone (or an earlier `settle`
  /// ended them whose answer was lost). After an error all may be settled once more.
  func settle(_ settlements: [Settlement]) async throws(QueueError) -> [Bool]
  /// `settle` and then `take` in one write: half the round trips of a busy worker. Each has a
  /// result of its own; a `want` of 0 takes nothing and gives an empty batch.
  func settleAndTake(_ settlements: [Settlement], _ order: TakeOrder) async -> SettledAndTaken
  /// Marks targets of a large item as done together with what they leave; the item stays ours.
  func progress(_ progress: ItemProgress) async throws(QueueError) -> Bool
  /// Moves targets of a large item out as items of their own, which any instance may take, and
  /// marks them as done in the item, in one step; with `isLast` the item ends. False when the item
  /// was not ours any more: then nothing was written.
  func split(_ step: SplitStep) async throws(QueueError) -> Bool
  /// Gives items back to the head of the list, unspent and uncounted; `startDeadline` is not asked.
  /// After an error they count as unknown: `reconcile` adopts what is still ours.
  func putBack(_ receipts: [Receipt]) async throws(QueueError)
  /// Looks for dead instances and returns their items; the number of items returned.
  func recover() async throws(QueueError) -> Int
  /// Compares what Redis holds for us with what we know (QUEUE.md 5); the items adopted, which the
  /// worker must process like taken ones.
  func reconcile() async throws(QueueError) -> [QueueItem]
  /// Waits, stealing nothing, until work may be there, `limit` is over, or the task is cancelled.
  func waitForWork(upTo limit: Duration) async
  /// Ends a `waitForWork` under way: something became due that it does not know of.
  func wake()
  /// Hands back all that is still ours and leaves the lease: the end of a clean shutdown.
  func release() async throws(QueueError)
}

extension JobQueue {
  /// `take` without parked items.
  package func take(_ want: Int) async throws(QueueError) -> Batch {
    try await take(TakeOrder(want))
  }

  /// `settleAndTake` without parked items.
  package func settleAndTake(
    _ settlements: [Settlement], want: Int
  ) async -> SettledAndTaken {
    await settleAndTake(settlements, TakeOrder(want))
  }
}

/// What a `take` may bring.
package struct TakeOrder: Sendable {
  /// Most items in all; 0 = nothing.
  package var want: Int
  /// The credentials whose parked lists are looked at, with the most items of each; 0 tells its
  /// length only.
  package var parked: [Parked]

  package struct Parked: Sendable {
    package var credential: CredentialKey
    package var most: Int

    package init(_ credential: CredentialKey, most: Int) {
      self.credential = credential
      self.most = most
    }
  }

  package init(_ want: Int, parked: [Parked] = []) {
    self.want = want
    self.parked = parked
  }
}

/// Names one taken item; never reused by an instance.
package typealias Receipt = UInt64

/// A receipt as the key of a table. Each push looks it up some ten times, and nobody outside chooses
/// receipts: the standard library's hash, which withstands chosen keys, took a hundred instructions
/// for each.
package struct ReceiptKey: Hashable, Sendable {
  package let receipt: Receipt

  package init(_ receipt: Receipt) { self.receipt = receipt }

  package func hash(into hasher: inout Hasher) { hasher.combine(receipt) }

  /// Fibonacci hashing: consecutive receipts lie far from each other.
  package func _rawHashValue(seed: Int) -> Int {
    let mixed = (receipt ^ UInt64(truncatingIfNeeded: seed)) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed ^ mixed >> 32)
  }
}

/// One item as taken, its header read.
package struct QueueItem: Sendable {
  package let receipt: Receipt
  package let header: ItemHeader
  /// The producer's bytes, verbatim.
  package let bytes: [UInt8]

  package init(receipt: Receipt, header: ItemHeader, bytes: [UInt8]) {
    self.receipt = receipt
    self.header = header
    self.bytes = bytes
  }
}

/// What Redis keeps in front of an item: `~1;id=..;a=..;c=..;t0=..;r=..;p=..;done=..` + line feed.
package struct ItemHeader: Sendable, Equatable {
  /// Made at first take; used when the event has no id of its own.
  package var queueID: QueueID
  /// Attempts spent.
  package var attempt: Int
  /// Crashes without progress while it was held. From 2 on it is tested apart from all others, first
  /// with suspects like itself, then alone; at `poisonCrashes` the worker must dead-letter it
  /// unopened.
  package var crashes: Int
  /// First take in UNIX milliseconds of the server.
  package var firstTaken: Int64
  package var replays: Int
  /// Milliseconds it has spent in parked lists, which count for no limit of attempts. While it lies
  /// there, and until it is looked at, the moment it was put there (the server's) is taken off:
  /// then it is below 0.
  package var parked: Int64 = 0
  /// A bit for each target in decode order, set when nothing more is to be done for it.
  package var done: TargetSet

  package var id: String { queueID.text }

  /// Two crashes in company, one among suspects, and three alone.
  package static let poisonCrashes = 6

  package init(
    id: QueueID, attempt: Int = 0, crashes: Int = 0, firstTaken: Int64, replays: Int = 0,
    done: TargetSet = TargetSet()
  ) {
    queueID = id
    self.attempt = attempt
    self.crashes = crashes
    self.firstTaken = firstTaken
    self.replays = replays
    self.done = done
  }
}

/// What `take` brought.
package struct Batch: Sendable {
  package var items: [QueueItem] = []
  /// Until the next retry or scheduled event is due; nil when none waits.
  package var nextDue: Duration?
  /// The server's UNIX milliseconds.
  package var serverTime: Int64 = 0
  package var news = FleetNews()
  /// What is left in the parked lists of the order, in its order.
  package var parked: [Int] = []

  package init() {}

  /// The items, of which it then has none.
  mutating func takeItems() -> [QueueItem] {
    var taken: [QueueItem] = []
    swap(&taken, &items)
    return taken
  }
}

/// Chunks of a large event: pieces of its own bytes with some of its devices each.
package struct SplitStep: Sendable {
  package var receipt: Receipt
  /// At most 24 and about 1 MB together, since a script holds up all of Redis.
  package var chunks: [Chunk]
  /// All targets of the item that are done or moved out, those of these chunks among them.
  package var done: TargetSet
  /// Nothing of the item is left: it ends.
  package var isLast: Bool

  package struct Chunk: Sendable {
    package var header: ItemHeader
    package var bytes: [UInt8]

    package init(_ header: ItemHeader, _ bytes: [UInt8]) {
      self.header = header
      self.bytes = bytes
    }
  }

  package init(_ receipt: Receipt, _ chunks: [Chunk], done: TargetSet, isLast: Bool) {
    self.receipt = receipt
    self.chunks = chunks
    self.done = done
    self.isLast = isLast
  }
}

/// What `settleAndTake` brought.
package struct SettledAndTaken: Sendable {
  package let settled: Result<[Bool], QueueError>
  package let taken: Result<Batch, QueueError>

  package init(settled: Result<[Bool], QueueError>, taken: Result<Batch, QueueError>) {
    self.settled = settled
    self.taken = taken
  }
}

/// What an instance tells the others about itself.
package struct InstanceStatus: Sendable, Equatable {
  package var host = ""
  package var version = ""
  package var capacity = 0
  package var busy = 0
  package var adminAddress = ""

  package init() {}
}

/// What Redis says about the fleet.
package struct FleetNews: Sendable, Equatable {
  /// Live instances of this queue, ours among them.
  package var instances = 1
  /// Worker tasks that an operator asked of every process, or of this instance; nil = as configured,
  /// or by load.
  package var wantedWorkers: Int?
  /// The number is to follow the load.
  package var wantsAutoWorkers = false
  /// The wish is for this instance alone.
  package var isForInstance = false
  /// True while an operator has paused taking from this queue.
  package var isPaused = false
  /// Paused apps.
  package var pausedApps: [String] = []
  /// Dead letters that found their list full and wait for room.
  package var deadLettersWaiting = 0

  package init() {}
}

/// The end of one item, with everything it leaves, in one atomic step.
package struct Settlement: Sendable {
  package var receipt: Receipt
  package var leaves: [Leaving]

  package init(_ receipt: Receipt, _ leaves: [Leaving] = []) {
    self.receipt = receipt
    self.leaves = leaves
  }
}

/// One thing that an item leaves behind in Redis.
package enum Leaving: Sendable {
  /// The item again at a moment (UNIX milliseconds of the server), with this header; its bytes are
  /// taken from the item itself.
  case again(at: Int64, ItemHeader)
  /// A dead letter as JSON (EVENTS.md 2).
  case deadLetter(DeadReason, [UInt8])
  /// A record for the feedback list as JSON (EVENTS.md 3).
  case invalidToken([UInt8])
  /// The same, held by the mass-invalidation brake.
  case heldToken([UInt8])
  /// The item in the parked list of a credential, with this header.
  case parked(CredentialKey, ItemHeader)
  /// An entry of the stream of receipts (EVENTS.md 4).
  case receipt(TargetReceipt)
}

/// Finished targets of an item that stays ours.
package struct ItemProgress: Sendable {
  package var receipt: Receipt
  /// All that are done so far, those of the header among them: it replaces what was marked before.
  package var done: TargetSet
  package var leaves: [Leaving]

  package init(_ receipt: Receipt, done: TargetSet, leaves: [Leaving] = []) {
    self.receipt = receipt
    self.done = done
    self.leaves = leaves
  }
}

/// What kept the queue from answering.
package struct QueueError: Error, Sendable, Equatable {
  package enum Code: Sendable, Equatable {
    /// No connection, or no reply in time: the command may have run.
    case unreachable
    /// The lease is lost.
    case fenced
    /// Redis refuses writes for now (OOM, NOREPLICAS, MISCONF, READONLY, LOADING, BUSY).
    case refusing
    /// A person must act (WRONGPASS, NOPERM, WRONGTYPE, a queue name that cannot be served).
    case misconfigured
    case cancelled
  }
  package let code: Code
  /// Redis' own words, without secrets.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
