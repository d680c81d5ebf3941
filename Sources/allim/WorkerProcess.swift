internal import LoopIO
internal import PushAdmin
internal import PushProviders
internal import PushQueue
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import RedisClient
internal import SharedState

/// `allim run`: the parts of a worker, wired together on the control loop, which is the main
/// thread.
final class WorkerProcess {
  let control: Loop
  let settings: Settings
  let log: Logger
  let metrics = WorkerMetrics(version: Version.number)
  let clock = SystemClock()
  private let loaded: LoadedSettings

  init(_ loaded: LoadedSettings, on control: Loop) {
    self.loaded = loaded
    self.control = control
    settings = loaded.settings
    log = Logger(loaded.settings.log)
    ProcessMetrics.register(in: metrics.registry)
  }

  /// Runs until a signal ends it.
  func run() async throws(CommandFailure) -> ExitCode {
    let signals = try WorkerSignals(settings.shutdown.grace, log, on: control)
    defer { signals.close() }
    let credentials = try readCredentials()
    let embedded = try await openEmbeddedRedis()
    try await checkRedis()
    try await work(credentials, signals)
    await embedded?.stop()
    log.info("the worker has ended")
    return .done
  }

  private func readCredentials() throws(CommandFailure) -> ProviderCredentials {
    do {
      return try ProviderCredentials(settings, metrics: metrics, clock: clock)
    } catch {
      let problems = error.problems.map { problem in
        loaded.problem(problem.settingsKey, reason: problem.error.text).description
      }
      throw CommandFailure(.misuse, messages: problems)
    }
  }

  private func openEmbeddedRedis() async throws(CommandFailure) -> EmbeddedRedis? {
    guard loaded.usesEmbeddedRedis else { return nil }
    do {
      let redis = try await EmbeddedRedis.open(on: control)
      log.info(
        "redis is embedded",
        [
          .path: .text(EmbeddedRedis.folder), .embedded: true,
          .outcome: redis.isOwner ? "started" : "joined",
        ])
      return redis
    } catch {
      throw CommandFailure(.failed, error.detail)
    }
  }

  private func checkRedis() async throws(CommandFailure) {
    let queues = settings.queues.map(\.name)
    let clients = try settings.redis.clients(for: queues, on: control, clock: clock)
    defer { for client in clients { client.close() } }
    do throws(QueueError) {
      for (queue, client) in zip(queues, clients) {
        // One server serves them all, so that one look is enough.
        if client === clients[0], queue != queues[0] { continue }
        try await StartCheck(settings.redis, log).run(client, queue)
      }
    } catch {
      throw CommandFailure(.misuse, error.detail)
    }
  }

  private func work(
    _ credentials: ProviderCredentials, _ signals: WorkerSignals
  ) async throws(CommandFailure) {
    let probes = WorkerProbes(metrics)
    let admin = try startAdmin(probes)
    let worker = Worker(
      shards: try await makeShards(credentials, probes, adminAddress: admin.address))
    probes.watch(worker)
    await followFleet(worker)
    let gauges = try startGauges()
    let floods = startFloodSums()
    if signals.watch(worker) {
      announce(admin.address, worker)
      await worker.run()
    }
    gauges.cancel()
    floods.cancel()
    await gauges.value
    await floods.value
    admin.stop()
  }

  private func startAdmin(_ probes: WorkerProbes) throws(CommandFailure) -> AdminServer {
    let wanted: AdminAddress =
      settings.admin.listen.map { .fixed(host: $0.host, port: $0.port) } ?? .automatic
    do {
      return try AdminServer(wanted, probes.admin)
    } catch {
      throw CommandFailure(.misuse, "admin.listen: \(error.description)")
    }
  }

  private func startGauges() throws(CommandFailure) -> Task<Void, Never> {
    let (queues, control) = (settings.queues.map(\.name), control)
    let clients = LoopBoundClients(
      try settings.redis.clients(for: queues, on: control, clock: clock))
    let gauges = QueueGauges(queues, metrics)
    // `work` cancels it and waits for it.
    return Task(executorPreference: control) { await gauges.run(clients.value, on: control) }
  }

  /// A flood of records that has ended is summed up although nothing else is logged.
  private func startFloodSums() -> Task<Void, Never> {
    let (control, log) = (control, log)
    // `work` cancels it and waits for it.
    return Task(executorPreference: control) {
      while !Task.isCancelled {
        try? await control.sleep(.seconds(1))
        log.sumUpFloods()
      }
    }
  }

  /// The number of workers that an operator wants of every process.
  private func followFleet(_ worker: Worker) async {
    let (configured, log) = (settings.workers, log)
    for shard in worker.shards {
      await shard.listen { news in
        let wanted = news.wantedWorkers ?? configured
        // It ends by itself: scaling only wakes lanes.
        Task {
          if await worker.lanes() == wanted { return }
          await worker.scale(to: wanted)
          log.info("the number of workers was changed by an operator", [.workers: .count(wanted)])
        }
      }
    }
  }

  private func announce(_ admin: String, _ worker: Worker) {
    log.info(
      "the worker runs",
      [
        .version: .text(Version.number),
        .queue: .text(settings.queues.map(\.name).joined(separator: " ")),
        .workers: .count(settings.workers), .threads: .count(worker.shards.count),
        .admin: .text("http://\(admin)"),
        .redis: .text(loaded.usesEmbeddedRedis ? "embedded" : "configured"),
      ])
  }
}

/// Carries clients to a task on the loop they belong to.
struct LoopBoundClients: @unchecked Sendable {
  let value: [RedisClient]
  init(_ value: [RedisClient]) { self.value = value }
}

extension Logger {
  convenience init(_ settings: Settings.Log) {
    self.init(
      level: LogLevel(name: settings.level.rawValue) ?? .info,
      format: settings.format == .json ? .json : .logfmt)
  }
}
