import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

/// The lanes of a shard, with what they build messages by.
///
/// Those at work are known to their providers; here are the free ones, those whose push has ended,
/// and those that wait for the lease. As many exist as were ever at work at once.
final class LaneCrew {
  private let codec: MessageCodec
  let clock: any PushClock
  let writesReceipts: Bool
  /// Credentials, by group, to which nothing may go now.
  var isShut: [Bool]
  private let metrics: WorkerMetrics
  private let loop: Loop
  /// Called on the loop once lanes have ended, which `takeEnded` then gives.
  var whenEnded: @Sendable () -> Void = {}
  private var free: [Lane] = []
  private var ended: [Lane?] = []
  private var concluded: [Lane?] = []
  private var held: [Lane] = []

  init(_ parts: ShardParts, on loop: Loop) {
    codec = parts.codec
    clock = parts.clock
    writesReceipts = parts.writesReceipts
    isShut = Array(repeating: false, count: parts.providers.count)
    metrics = parts.metrics
    self.loop = loop
  }

  /// The one used last first: its memory is warm.
  func takeFree() -> Lane { free.popLast() ?? Lane(of: self) }

  /// Builds what a lane has to send; nil when it is built, else why not.
  func build(_ job: Lane.Job, into request: PushRequest, at now: Int64) -> Lane.Ending? {
    if job.item.isStale { return .stale }
    if isShut[job.group] { return .shut }
    // Past the lease's local deadline another instance may have the item.
    if now >= job.item.feed.startDeadline { return .leaseOver }
    // A receipt tells of the event, however the push ends: then it is needed afterwards.
    let result = job.item.build(
      job.target, now: clock.wall(), into: request, by: codec, isNeeded: writesReceipts)
    switch result {
    case .built(let notes):
      count(notes)
      return nil
    case .failed(let reason, let detail): return .failed(reason, detail)
    case .expired: return .expired
    }
  }

  private func count(_ notes: BuildNotes) {
    if notes.changes.isEmpty { return }
    if !notes.changes.isDisjoint(with: [.body, .subtitle, .title]) { metrics.textShortened.add() }
    if notes.changes.contains(.unicode) { metrics.textRepaired.add() }
  }

  /// Those that end are concluded together, in a later part of the turn: their providers are in the
  /// middle of something.
  func ended(_ lane: Lane) {
    ended.append(lane)
    if ended.count == 1 { loop.execute(whenEnded) }
  }

  /// Hands out each that has ended; `body` says whether it is free now.
  func takeEnded(_ body: (Lane) -> Bool) {
    swap(&ended, &concluded)
    for index in concluded.indices {
      guard let lane = concluded[index].take() else { continue }
      if body(lane) { free.append(lane) }
    }
    concluded.removeAll(keepingCapacity: true)
  }

  // MARK: Waiting for the lease

  /// True for the first, for which a timer must be armed.
  func hold(_ lane: Lane) -> Bool {
    held.append(lane)
    return held.count == 1
  }

  func takeHeld() -> [Lane] {
    defer { held = [] }
    return held
  }

  // MARK: The end

  /// Lets go of all lanes, which hold the crew.
  func dismiss() {
    whenEnded = {}
    free = []
  }
}
