package import PushCodec
package import PushTelemetry
package import SharedState

/// One list that a shard takes from.
package struct FeedParts {
  package var queue: any JobQueue
  /// Its part of the lanes while other lists wait too.
  package var weight: Int
  /// How often the lease is renewed: a quarter of it.
  package var beatInterval: Duration

  package init(
    _ queue: any JobQueue, weight: Int = 1, beatInterval: Duration = .seconds(3)
  ) {
    self.queue = queue
    self.weight = weight
    self.beatInterval = beatInterval
  }
}

/// What a shard works with; made on its loop and used only there.
package struct ShardParts {
  /// At least one; the first list's control speaks for the fleet.
  package var feeds: [FeedParts]
  package var codec: MessageCodec
  /// In the order of `codec.credentialList`.
  package var providers: [any PushProvider]
  package var policy: RetryPolicy
  package var metrics: WorkerMetrics
  package var log: Logger
  package var clock: any PushClock
  /// Lanes of this shard at the start.
  package var workers: Int
  /// Host, version and admin address, told to the fleet with each beat.
  package var status: InstanceStatus
  /// Every target leaves a receipt.
  package var writesReceipts: Bool
  /// Shared by the shards of a process.
  package var brakes: InvalidationBrakes

  package init(
    feeds: [FeedParts], codec: MessageCodec, providers: [any PushProvider], policy: RetryPolicy,
    metrics: WorkerMetrics, log: Logger, clock: any PushClock, workers: Int,
    status: InstanceStatus = InstanceStatus(), writesReceipts: Bool = false,
    brakes: InvalidationBrakes = InvalidationBrakes()
  ) {
    self.feeds = feeds
    self.codec = codec
    self.providers = providers
    self.policy = policy
    self.metrics = metrics
    self.log = log
    self.clock = clock
    self.workers = workers
    self.status = status
    self.writesReceipts = writesReceipts
    self.brakes = brakes
  }
}
