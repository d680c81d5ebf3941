import SharedState

/// One list of a shard at one moment.
package struct FeedSnapshot: Sendable {
  package var name = ""
  /// Items taken and not yet settled.
  package var open = 0
  /// Targets that wait for a lane, and those that have one.
  package var waiting = 0
  package var busy = 0
  /// Items known to be parked.
  package var parked = 0
  /// What keeps Redis from serving the list; nil = nothing.
  package var trouble: QueueError?
  package var isPaused = false
  /// Monotonic nanoseconds of the last answers; 0 = none yet.
  package var lastTake: Int64 = 0
  package var lastBeat: Int64 = 0
  /// Nanoseconds until no send may be started any more.
  package var leaseLeft: Int64 = 0

  package init() {}
}

/// A shard at one moment, for probes, metrics and the state record.
package struct ShardSnapshot: Sendable {
  package var lanes = 0
  package var busy = 0
  /// Targets that wait for a lane.
  package var waiting = 0
  /// Its lists in their order.
  package var feeds: [FeedSnapshot] = []

  package init() {}

  /// Items taken and not yet settled.
  package var open: Int { feeds.reduce(0) { $0 + $1.open } }
  /// What keeps Redis from serving a list; nil = all are served.
  package var trouble: QueueError? { feeds.lazy.compactMap(\.trouble).first }
  /// None of its lists is taken from.
  package var isPaused: Bool { feeds.allSatisfy(\.isPaused) }
  /// Nanoseconds until of one list no send may be started any more.
  package var leaseLeft: Int64 { feeds.map(\.leaseLeft).min() ?? 0 }
}

extension Shard {
  /// That it answers at all says that its loop turns.
  package func snapshot() -> ShardSnapshot {
    var snapshot = ShardSnapshot()
    snapshot.lanes = max(phase == .running ? wantedLanes : 0, dispatcher.running)
    snapshot.busy = dispatcher.running
    snapshot.waiting = dispatcher.waiting
    snapshot.feeds = feeds.map(look)
    return snapshot
  }

  private func look(_ feed: Feed) -> FeedSnapshot {
    var snapshot = FeedSnapshot()
    snapshot.name = feed.name
    snapshot.open = feed.open.count
    snapshot.waiting = dispatcher.waiting(feed: feed.index)
    snapshot.busy = dispatcher.running(feed: feed.index)
    snapshot.parked = feed.parked.length
    snapshot.trouble = feed.trouble
    snapshot.isPaused = feed.news.isPaused || isHeld
    snapshot.lastTake = feed.lastTake
    snapshot.lastBeat = feed.lastBeat
    let (now, deadline) = (clock.monotonic(), feed.queue.startDeadline)
    snapshot.leaseLeft = deadline > now ? deadline - now : 0
    return snapshot
  }
}
