import PushCodec
import PushModel
import PushTelemetry
import SharedState

// Targets that cannot go out for now leave into the parked list of their credential, unspent: those
// of a paused app, of a credential whose breaker is open, and what a slow credential would keep the
// others from being taken for.
extension Shard {
  /// Follows a credential's gate and its app's pause.
  func gateChanged(_ group: Int) {
    let provider = outlets[group].provider
    let gate = provider.gate
    let isPaused = pausedApps.contains(provider.key.app)
    let most = isPaused ? 0 : gate.most
    if most == dispatcher.most(group: group) { return }
    dispatcher.limit(group: group, to: most)
    crew.isShut[group] = most == 0
    for feed in feeds {
      if most == 0 { parkWaiting(feed, group) }
      feed.wake()
    }
    startLanes()
  }

  /// Which apps an operator has paused in all the fleet.
  func follow(pausedApps apps: [String]) {
    isFleetKnown = true
    if apps == pausedApps { return }
    pausedApps = apps
    for group in outlets.indices { gateChanged(group) }
  }

  /// Targets that come now could not soon begin: they would take up the place of others'.
  func mustPark(_ feed: Feed, _ group: Int) -> Bool {
    let most = dispatcher.most(group: group)
    if most < .max { return dispatcher.held(group: group) >= most }
    return isCrowded(feed, group) && waiting(feed, group) >= share
  }

  /// Has more waiting in the list than it will soon do.
  private func isCrowded(_ feed: Feed, _ group: Int) -> Bool {
    standstill.isStill(group) || feed.crowded.contains(group)
  }

  func hasCrowded(_ feed: Feed) -> Bool {
    !feed.crowded.isEmpty || outlets.indices.contains { standstill.isStill($0) }
  }

  /// Admission of a target that must wait; one whose message is over is filed at once.
  func park(_ open: OpenItem, _ target: Int) {
    let isOver = !open.event.isOneShot && open.event.expiresAt * 1_000 <= clock.wall()
    if isOver {
      record(open, target, .expired, nil, "expired before it could be sent")
      return
    }
    let group = open.event.targets[target].credential
    open.feed.parked.notePut(group)
    record(open, target, .parked, nil, "")
  }

  /// What waits for a lane leaves, but for the first, in its order.
  private func parkWaiting(_ feed: Feed, _ group: Int, butFirst kept: Int = 0) {
    let jobs = dispatcher.removeWaiting(feed: feed.index, group: group, butFirst: kept)
    for (place, job) in jobs.enumerated() {
      job.item.remaining -= 1
      park(job.item, job.target)
      // Targets of an item stand together: it leaves as a whole.
      let isLast = place + 1 == jobs.count || jobs[place + 1].item !== job.item
      if isLast, job.item.remaining == 0 { finish(job.item) }
    }
  }

  /// The gauge knows no environment: both are one.
  func showParked() {
    for outlet in outlets {
      let key = outlet.provider.key
      let items = outlets.indices.reduce(0) { sum, group in
        let other = outlets[group].provider.key
        guard other.app == key.app, other.provider == key.provider else { return sum }
        return sum + feeds.reduce(0) { $0 + $1.parked.length(of: group) }
      }
      outlet.metrics.parked.set(items)
    }
  }

  // MARK: No credential starves another (DESIGN 3)

  /// Targets of one credential that may wait for lanes while others want to be taken: all together
  /// leave half of what is taken ahead.
  var share: Int { max(1, ahead / (2 * max(1, outlets.count))) }

  private func waiting(_ feed: Feed, _ group: Int) -> Int {
    dispatcher.waiting(feed: feed.index, group: group)
  }

  /// A list has no room, for so long, in nanoseconds, while lanes are idle: credentials whose lanes
  /// are all taken fill it. What those that stand still have in excess of their share leaves at
  /// once, and after a while what those have that are not soon done.
  func relieve(_ feed: Feed, after elapsed: Int64) {
    if dispatcher.running >= wantedLanes { return }
    for group in outlets.indices where waiting(feed, group) > share {
      if standstill.isStill(group) {
        parkWaiting(feed, group, butFirst: share)
        continue
      }
      if elapsed < Self.patience { continue }
      let finished = dispatcher.finished(group: group) - feed.finishedBefore[group]
      let isSoonDone =
        Int64(finished) * Self.soon >= Int64(waiting(feed, group)) * elapsed
      if isSoonDone { continue }
      feed.crowded.insert(group)
      parkWaiting(feed, group, butFirst: share)
    }
  }

  /// A list waits for so long, in nanoseconds, for one credential to do what it has waiting.
  private static let soon: Int64 = 5_000_000_000

  /// A credential that has nothing parked any more and little waiting is as all others.
  func endCrowding(_ feed: Feed) {
    for group in feed.crowded
    where feed.parked.length(of: group) == 0 && waiting(feed, group) < share {
      feed.crowded.remove(group)
    }
  }

  /// Items of a credential that a draw may bring now.
  func room(_ feed: Feed, _ group: Int) -> Int {
    let targets = targetRoom(feed, group)
    return targets == 0 ? 0 : max(1, targets / max(1, Int(feed.targetsPerItem)))
  }

  private func targetRoom(_ feed: Feed, _ group: Int) -> Int {
    let most = dispatcher.most(group: group)
    if most < .max { return max(0, most - dispatcher.held(group: group)) }
    if !isCrowded(feed, group) { return max(0, wantedLanes + reserve) }
    // Half a share at a time: never a round trip for each finished send.
    let room = share - waiting(feed, group)
    return room * 2 >= share ? room : 0
  }
}

/// Whether the targets of one item must wait, asked once for each credential: an item stays whole,
/// since each part of it is written anew.
struct Admission {
  private var item = 0
  private var asked: [Int]
  private var blocked: [Bool]

  init(groups: Int) {
    asked = Array(repeating: 0, count: groups)
    blocked = Array(repeating: false, count: groups)
  }

  /// The next item.
  mutating func begin() { item += 1 }

  mutating func isBlocked(_ group: Int, _ ask: () -> Bool) -> Bool {
    if asked[group] != item {
      asked[group] = item
      blocked[group] = ask()
    }
    return blocked[group]
  }
}

extension CredentialGate {
  /// Targets that may be with lanes at once.
  var most: Int {
    switch self {
    case .open: .max
    case .limited(let most): max(0, most)
    case .shut: 0
    }
  }
}
