import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

/// One list of a shard: what was taken from it, and what its roles know.
///
/// Each list has a fetcher, a completer and a heartbeat of its own, so that neither a full list nor
/// a slow Redis behind one keeps the others from being served. Lanes are common to all.
final class Feed {
  /// Place in the order of the configuration; the first list's control speaks for the fleet.
  let index: Int
  let queue: any JobQueue
  /// Its part of the lanes while others wait too.
  let weight: Int
  /// Lists with a greater weight: what the pool orders waiting requests by.
  let precedence: UInt8
  /// How often the lease is renewed.
  let beatInterval: Duration
  let metrics: QueueMetrics
  /// The shard's.
  let codec: MessageCodec

  // Items.
  var open: [ReceiptKey: OpenItem] = [:]
  let fetchWake = Signal()
  var fetcher: Task<Void, Never>?
  let completer = Completer()
  var completerTimer: LoopTimer?
  var completerHasEnded = false
  var parked: ParkedLists
  /// Credentials that have more waiting than lanes will soon begin: the rest is parked.
  var crowded: Set<Int> = []
  /// Since when it lacks room, monotonic; 0 = it does not.
  var crampedSince: Int64 = 0
  var cramped: LoopTimer?
  /// What each credential had finished by then.
  var finishedBefore: [Int]
  /// Open targets of an item, about: what a draw of so many items brings.
  var targetsPerItem = 1.0
  /// Bytes of its large events that wait to be split.
  var unsplitBytes = 0

  // Lease.
  var news = FleetNews()
  /// Redis' clock minus ours, in milliseconds.
  var serverOffset: Int64 = 0
  var lastTake: Int64 = 0
  var lastBeat: Int64 = 0
  var lastRecovery = Int64.min
  var trouble: QueueError?
  var reports = TroubleReports()
  /// An answer was lost: what Redis holds for us must be compared with what we know.
  var needsReconciling = false
  /// Counts leases: what was taken under an earlier one may be another's by now.
  var lease = 0

  init(
    _ parts: FeedParts, index: Int, precedence: UInt8, _ codec: MessageCodec,
    _ metrics: QueueMetrics
  ) {
    self.codec = codec
    let credentials = codec.credentialList
    parked = ParkedLists(credentials)
    finishedBefore = Array(repeating: 0, count: credentials.count)
    self.index = index
    self.precedence = precedence
    self.metrics = metrics
    queue = parts.queue
    weight = max(1, parts.weight)
    beatInterval = parts.beatInterval
  }

  var name: String { queue.name }

  /// Until when a send may be started, monotonic. A function of its own counts no owner of the queue.
  var startDeadline: Int64 {
    @inline(never) get { queue.startDeadline }
  }

  /// The lists in their order, each with its place among the weights.
  static func all(
    _ parts: [FeedParts], _ codec: MessageCodec, _ metrics: WorkerMetrics
  ) -> [Feed] {
    let weights = Set(parts.map(\.weight)).sorted(by: >)
    return parts.enumerated().map { index, part in
      let place = weights.firstIndex(of: part.weight) ?? 0
      return Feed(
        part, index: index, precedence: UInt8(clamping: place), codec,
        metrics.queue(part.queue.name))
    }
  }

  /// Ends the waits of the fetcher: there may be work or room that it does not know of.
  func wake() {
    fetchWake.raise()
    queue.wake()
  }
}
