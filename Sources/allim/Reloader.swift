internal import LoopIO
internal import PushProviders
internal import PushSettings
internal import PushTelemetry
internal import PushWorker

/// Hands the work over from one reading of the configuration to the next, at each HUP.
///
/// The next generation is built whole, from the file to the lease in Redis, before the one before
/// it is drained; whatever is wrong, that one goes on. Both take from the same lists for a moment,
/// as two processes would.
final class Reloader {
  private let process: WorkerProcess
  private let probes: WorkerProbes
  private let signals: WorkerSignals
  private let adminAddress: String
  private var current: Generation?
  private var credentials: ProviderCredentials?
  /// Those that work or drain.
  private var running: [(generation: Generation, task: Task<Void, Never>)] = []

  /// How long a new generation may need for its leases.
  private static let patience = Duration.seconds(10)

  init(
    _ process: WorkerProcess, _ probes: WorkerProbes, _ signals: WorkerSignals,
    adminAddress: String
  ) {
    self.process = process
    self.probes = probes
    self.signals = signals
    self.adminAddress = adminAddress
  }

  /// Starts the first generation, unless a signal has asked for the end already.
  func begin(
    _ credentials: ProviderCredentials, _ started: (Generation) -> Void
  ) async throws(CommandFailure) {
    self.credentials = credentials
    let first = try await make(process.settings, credentials)
    guard await signals.watch(first) else { return await abandon(first) }
    start(first)
    started(first)
  }

  /// Serves reloads until the end is asked for, and then waits for all generations.
  func run() async {
    for await _ in signals.reloads {
      process.notifier.reloading()
      await reload()
      process.notifier.ready()
    }
    for (_, task) in running { await task.value }
  }

  private func reload() async {
    do throws(CommandFailure) {
      var next = try process.readAgain()
      let restarts = keepWhatIsFixed(in: &next)
      let credentials = try process.readCredentials(next, after: credentials)
      try await process.checkRedis(next.settings)
      try await replace(with: next, credentials)
      self.credentials = credentials
      report(next, restarts)
    } catch {
      process.metrics.configReloadSuccess.set(0)
      for message in error.messages {
        process.log.error("the configuration has a problem", [.detail: .text(message)])
      }
      process.log.error("the configuration is kept as it was")
    }
  }

  private func replace(
    with next: LoadedSettings, _ credentials: ProviderCredentials
  ) async throws(CommandFailure) {
    let generation = try await make(next.settings, credentials)
    guard await signals.watch(generation) else { return await abandon(generation) }
    let last = current
    start(generation)
    if let last {
      guard await generation.serves(within: Self.patience) || signals.isStopping else {
        let trouble = await generation.trouble() ?? "no lease"
        probes.watch(last.worker)
        current = last
        await generation.worker.stop(grace: .zero)
        throw CommandFailure(.failed, "redis: \(trouble)")
      }
      // Whatever is pushed from here on is for the new one and its rules.
      await last.worker.quiet()
      let grace = next.settings.shutdown.grace
      // It ends with the generation, which is waited for.
      Task(executorPreference: process.control) { await last.worker.stop(grace: grace) }
    }
    process.loaded = next
    process.log.follow(next.settings.log)
  }

  private func make(
    _ settings: Settings, _ credentials: ProviderCredentials
  ) async throws(CommandFailure) -> Generation {
    let shards = try await process.makeShards(
      settings, credentials, probes, adminAddress: adminAddress)
    let worker = Worker(shards: shards)
    let count = WorkerCount(
      worker, settings.workers, process.metrics, process.log, process.fleet,
      on: process.control)
    let gauges = QueueGauges(settings.queues.map(\.name), process.metrics)
    let expiries = ExpiryReminders(
      watch: ExpiryWatch(credentials.expiries), log: process.log, clock: process.clock)
    return Generation(settings, worker, count, gauges, expiries, on: process.control)
  }

  private func start(_ generation: Generation) {
    current = generation
    probes.watch(generation.worker)
    let (control, probes) = (process.control, probes)
    running.removeAll(where: \.generation.hasEnded)
    // `run` waits for it.
    let task = Task(executorPreference: control) {
      await generation.run()
      probes.forget(generation.worker)
    }
    running.append((generation, task))
  }

  /// It never worked: only its threads are there.
  private func abandon(_ generation: Generation) async {
    await generation.worker.stop(grace: .zero)
    for shard in generation.worker.shards { shard.loop.stop() }
  }

  /// What a process cannot change: where it listens, and whether Redis is its own child. The keys
  /// that were to change it.
  private func keepWhatIsFixed(in next: inout LoadedSettings) -> [String] {
    var restarts = process.loaded.changedKeys(in: next).filter { $0.hasPrefix("admin.") }
    next.settings.admin = process.settings.admin
    if next.usesEmbeddedRedis != process.loaded.usesEmbeddedRedis {
      next.settings.redis = process.settings.redis
      next.usesEmbeddedRedis = process.loaded.usesEmbeddedRedis
      restarts.append("redis.url")
    }
    return restarts
  }

  private func report(_ next: LoadedSettings, _ restarts: [String]) {
    process.metrics.configReloadSuccess.set(1)
    process.log.info(
      "the configuration was read again",
      [.config: .text(next.file ?? ""), .workers: .count(next.settings.workers.atStart)])
    for key in restarts {
      process.log.warning("a change of the configuration needs a restart", [.key: .text(key)])
    }
  }
}
