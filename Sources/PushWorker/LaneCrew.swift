import LoopIO
import SharedState

/// The lanes of a shard that are not at work: free ones, and those whose push has ended or waits for
/// the lease. As many exist as were ever at work at once.
final class LaneCrew {
  let clock: any PushClock
  private let loop: Loop
  private unowned let shard: Shard
  private var free: [Lane] = []
  private var ended: [Lane] = []
  private var concluded: [Lane] = []
  private var held: [Lane] = []
  private(set) var leaseTimer: LoopTimer?

  init(of shard: Shard, on loop: Loop, clock: any PushClock) {
    self.shard = shard
    self.loop = loop
    self.clock = clock
    leaseTimer = LoopTimer(on: loop) { [unowned shard] in shard.assumeIsolated { $0.lookAtLease() } }
  }

  /// The one used last first: its memory is warm.
  func takeFree() -> Lane { free.popLast() ?? Lane(of: self) }

  func build(_ lane: Lane) -> Bool {
    let lane = LoopBound(lane)
    return shard.assumeIsolated { $0.build(lane.value) }
  }

  /// Ended ones are concluded together, in a later part of the turn: a provider may say the end of a
  /// push while it is sending it.
  func ended(_ lane: Lane) {
    ended.append(lane)
    if ended.count > 1 { return }
    let shard = shard
    loop.execute { shard.assumeIsolated { $0.concludeEnded() } }
  }

  /// Hands out each that has ended; it is free afterwards.
  func takeEnded(_ body: (Lane) -> Void) {
    swap(&ended, &concluded)
    for lane in concluded { body(lane) }
    free += concluded
    concluded.removeAll(keepingCapacity: true)
  }

  /// It waits until the lease is renewed.
  func hold(_ lane: Lane) {
    held.append(lane)
    if held.count == 1 { leaseTimer?.arm(after: .milliseconds(50)) }
  }

  func takeHeld() -> [Lane] {
    defer { held = [] }
    return held
  }
}
