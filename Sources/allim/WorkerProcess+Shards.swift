internal import LoopIO
internal import PushCodec
internal import PushModel
internal import PushProviders
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import RedisClient
internal import SharedState

extension WorkerProcess {
  /// One shard a thread; workers and connections are the process's and are divided among them.
  func makeShards(
    _ settings: Settings, _ credentials: ProviderCredentials, _ probes: WorkerProbes,
    adminAddress: String
  ) async throws(CommandFailure) -> [Shard] {
    var status = InstanceStatus()
    status.host = Machine.hostName
    status.version = Version.number
    status.adminAddress = adminAddress
    let factory = ProviderFactory(
      settings, credentials, metrics: metrics, logger: log, fleet: fleet, clock: clock)
    let name = ProcessName()
    let count = settings.shardCount(cores: Machine.cores)
    var shards: [Shard] = []
    for index in 0..<count {
      let seed = ShardSeed(
        settings: settings, rules: settings.messageRules(projectIDs: credentials.projectIDs),
        factory: factory, brakes: brakes, metrics: metrics, log: log, clock: clock, status: status,
        instance: name.instance(shard: index), index: index, count: count)
      do {
        shards.append(try await seed.makeShard(probes))
      } catch {
        for shard in shards { shard.loop.stop() }
        throw error
      }
    }
    return shards
  }
}

/// What one shard is made from, on its loop.
private struct ShardSeed: Sendable {
  let settings: Settings
  let rules: MessageRules
  let factory: ProviderFactory
  let brakes: InvalidationBrakes
  let metrics: WorkerMetrics
  let log: Logger
  let clock: SystemClock
  let status: InstanceStatus
  let instance: String
  let index: Int
  let count: Int

  func makeShard(_ probes: WorkerProbes) async throws(CommandFailure) -> Shard {
    let loop = Loop(name: "shard-\(index)")
    loop.start()
    do {
      return try await Shard.make(on: loop) { loop in
        let providers = factory.makeProviders(on: loop, shard: index, of: count)
        probes.add(providers, on: loop)
        return try makeParts(providers, on: loop)
      }
    } catch {
      loop.stop()
      throw failure(error)
    }
  }

  private func failure(_ error: any Error) -> CommandFailure {
    switch error {
    case let error as CommandFailure: error
    case let error as QueueError: CommandFailure(.misuse, "queues: \(error.detail)")
    default: CommandFailure(.failed, "\(error)")
    }
  }

  private func makeParts(_ providers: ProviderSet, on loop: Loop) throws -> ShardParts {
    let codec = MessageCodec(rules: rules, credentials: Set(providers.providers.keys))
    return ShardParts(
      feeds: try settings.queues.map { queue in
        FeedParts(
          try makeQueue(queue, on: loop), weight: queue.weight, beatInterval: queue.lease / 4)
      }, codec: codec,
      providers: codec.credentialList.compactMap { providers.providers[$0] },
      policy: RetryPolicy(settings.retry), metrics: metrics, log: log, clock: clock,
      workers: Worker.share(settings.workers.atStart, index, of: count), status: status,
      writesReceipts: settings.receipts.enabled, brakes: brakes)
  }

  private func makeQueue(
    _ configured: Settings.Queue, on loop: Loop
  ) throws -> RedisQueue {
    var queue = QueueSettings()
    queue.lease = configured.lease
    // The same part of a lease as the default's: 3 s of 12 s.
    queue.margin = configured.lease / 4
    queue.receiptsMax = settings.receipts.max
    queue.invalidMax = settings.invalid.max
    queue.deadMax = settings.dead.max
    queue.deadMaxBytes = settings.dead.maxBytes
    queue.deadMaxAge = settings.dead.maxAge
    queue.whenDeadFull = settings.dead.whenFull == .park ? .park : .dropOldest
    queue.waitReplicas = settings.redis.wait.replicas
    queue.waitTimeout = settings.redis.wait.timeout
    let made = try RedisQueue(
      configured.name, instance: instance,
      client: try settings.redis.client(for: configured.name, on: loop, clock: clock),
      peek: try settings.redis.client(for: configured.name, on: loop, clock: clock),
      settings: queue, clock: clock)
    var watch = ReplicaWatch(configured.name, metrics, log)
    made.onTooFewReplicas = { [clock] replicas, reason in
      watch.note(replicas: replicas, reason: reason, now: clock.monotonic())
    }
    return made
  }
}
