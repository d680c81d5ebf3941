package import PushCodec
package import PushTelemetry
package import SharedState

/// What a shard works with; made on its loop and used only there.
package struct ShardParts {
  package var queue: any JobQueue
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
  /// How often the lease is renewed: a quarter of it.
  package var beatInterval: Duration
  /// Every target leaves a receipt.
  package var writesReceipts: Bool

  package init(
    queue: any JobQueue, codec: MessageCodec, providers: [any PushProvider], policy: RetryPolicy,
    metrics: WorkerMetrics, log: Logger, clock: any PushClock, workers: Int,
    status: InstanceStatus = InstanceStatus(), beatInterval: Duration = .seconds(3),
    writesReceipts: Bool = false
  ) {
    self.queue = queue
    self.codec = codec
    self.providers = providers
    self.policy = policy
    self.metrics = metrics
    self.log = log
    self.clock = clock
    self.workers = workers
    self.status = status
    self.beatInterval = beatInterval
    self.writesReceipts = writesReceipts
  }
}
