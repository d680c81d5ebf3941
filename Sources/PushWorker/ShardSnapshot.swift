import SharedState

/// A shard at one moment, for probes, metrics and the state record.
package struct ShardSnapshot: Sendable {
  package var lanes = 0
  package var busy = 0
  /// Targets that wait for a lane.
  package var waiting = 0
  /// Items taken and not yet settled.
  package var open = 0
  /// What keeps Redis from serving the queue; nil = nothing.
  package var trouble: QueueError?
  package var isPaused = false
  /// Monotonic nanoseconds of the last answers; 0 = none yet.
  package var lastTake: Int64 = 0
  package var lastBeat: Int64 = 0
  /// Nanoseconds until no send may be started any more.
  package var leaseLeft: Int64 = 0

  package init() {}
}

extension Shard {
  /// That it answers at all says that its loop turns.
  package func snapshot() -> ShardSnapshot {
    var snapshot = ShardSnapshot()
    snapshot.lanes = lanes
    snapshot.busy = dispatcher.running
    snapshot.waiting = dispatcher.waiting
    snapshot.open = open.count
    snapshot.trouble = trouble
    snapshot.isPaused = news.isPaused || isHeld
    snapshot.lastTake = lastTake
    snapshot.lastBeat = lastBeat
    let now = clock.monotonic()
    snapshot.leaseLeft = queue.startDeadline > now ? queue.startDeadline - now : 0
    return snapshot
  }
}
