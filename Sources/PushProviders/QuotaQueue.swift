internal import LoopIO
internal import SharedState
internal import Synchronization

/// How many live instances share a quota: told by the shards' news, read by their providers.
package final class FleetShare: Sendable {
  private let count = Atomic<Int>(1)

  package init() {}

  /// Live instances: shards of all processes.
  package var instances: Int {
    get { count.load(ordering: .relaxed) }
    set { count.store(max(1, newValue), ordering: .relaxed) }
  }
}

/// Lets requests of one shard go at the pace of its part of a quota, first come first served.
/// Lives on its loop.
final class QuotaQueue {
  private var pace: QuotaPace
  private let share: FleetShare
  private let clock: any PushClock
  private var waiting: [PendingSend] = []
  private var head = 0
  private var timer: LoopTimer?
  private var isOpen = false
  /// Called on the loop with each send that may go after a wait.
  var onAdmitted: ((PendingSend) -> Void)?

  /// Called on the loop when there is `room` again.
  var onRoom: (() -> Void)?

  init(perMinute: Int, share: FleetShare, on loop: Loop, clock: any PushClock) {
    pace = QuotaPace(perMinute: perMinute)
    self.share = share
    self.clock = clock
    timer = LoopTimer(on: loop) { [unowned self] in letGo() }
  }

  /// Sends that may wait here: what goes until it is told that there is room.
  var depth: Int { max(16, Int(pace.rate / 100)) }

  var room: Int { max(0, depth - (waiting.count - head)) }

  /// True when it may go at once; else `onAdmitted` is called with it later.
  func admits(_ send: PendingSend) -> Bool {
    if isOpen { return true }
    if waiting.count == head {
      pace.divide(among: share.instances)
      guard let due = pace.admit(clock.monotonic()) else { return true }
      arm(due)
    }
    waiting.append(send)
    return false
  }

  func throttled() { pace.throttled(clock.monotonic()) }

  /// Everything may go: the end has come.
  func open() {
    isOpen = true
    while let first = popFirst() { onAdmitted?(first) }
  }

  private func letGo() {
    pace.divide(among: share.instances)
    defer { if room > 0 { onRoom?() } }
    while head < waiting.count {
      if let due = pace.admit(clock.monotonic()) { return arm(due) }
      if let first = popFirst() { onAdmitted?(first) }
    }
  }

  private func arm(_ due: Int64) {
    timer?.arm(afterNanoseconds: max(1_000_000, due - clock.monotonic()))
  }

  private func popFirst() -> PendingSend? {
    guard head < waiting.count else { return nil }
    let first = waiting[head]
    head += 1
    // Under a lasting load it is never empty.
    if head == waiting.count || head >= 1_024 {
      waiting.removeFirst(head)
      head = 0
    }
    return first
  }
}
