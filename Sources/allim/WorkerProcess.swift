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
  let log: Logger
  let metrics = WorkerMetrics(version: Version.number)
  let clock = SystemClock()
  /// Divides FCM's quotas.
  let fleet = FleetShare()
  /// On invalid tokens; they outlive a reading of the configuration.
  let brakes = InvalidationBrakes()
  let notifier: ServiceNotifier
  /// The configuration in force.
  var loaded: LoadedSettings
  /// Reads the configuration again.
  private let load: () throws(CommandFailure) -> LoadedSettings

  /// - Parameter load: reads the configuration, now and at each HUP.
  init(
    _ load: @escaping () throws(CommandFailure) -> LoadedSettings, on control: Loop
  ) throws(CommandFailure) {
    self.load = load
    self.control = control
    loaded = try load()
    log = Logger(loaded.settings.log)
    notifier = ServiceNotifier(SettingsSource.processEnvironment())
    ProcessMetrics.register(in: metrics.registry)
    metrics.configReloadSuccess.set(1)
  }

  var settings: Settings { loaded.settings }

  /// Runs until a signal ends it.
  func run() async throws(CommandFailure) -> ExitCode {
    let signals = try WorkerSignals(
      log, notifier, grace: settings.shutdown.grace, on: control)
    defer { signals.close() }
    let credentials = try readCredentials(loaded)
    let embedded = try await openEmbeddedRedis()
    try await checkRedis(settings)
    try await work(credentials, signals)
    await embedded?.stop()
    log.info("the worker has ended")
    return .done
  }

  /// - Parameter last: those in use, at a reload.
  func readCredentials(
    _ loaded: LoadedSettings, after last: ProviderCredentials? = nil
  ) throws(CommandFailure) -> ProviderCredentials {
    do {
      let credentials = try ProviderCredentials(
        loaded.settings, after: last, metrics: metrics, logger: log, clock: clock)
      for warning in credentials.warnings {
        log.warning(
          "a key may be the wrong one",
          [.key: .text(warning.settingsKey), .detail: .text(warning.error.text)])
      }
      return credentials
    } catch {
      let problems = error.problems.map { problem in
        loaded.problem(problem.settingsKey, reason: problem.error.text).description
      }
      throw CommandFailure(.misuse, messages: problems)
    }
  }

  func readAgain() throws(CommandFailure) -> LoadedSettings {
    let next = try load()
    // Without its file a worker would know no app any more, and file every event as a dead letter.
    if let file = loaded.file, next.file == nil {
      throw CommandFailure(.misuse, "\(file): it is not there any more")
    }
    return next
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

  func checkRedis(_ settings: Settings) async throws(CommandFailure) {
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
    let desk = makeDesk(probes)
    let admin = try startAdmin(probes, desk)
    let charts = startCharts(desk, admin)
    let floods = startFloodSums()
    let reports = startReports(probes)
    let evictions = startEvictionWatch()
    let reloader = Reloader(self, probes, signals, adminAddress: admin.address)
    try await reloader.begin(credentials) {
      announce(admin.address, $0.worker)
      notifier.ready()
    }
    await reloader.run()
    floods.cancel()
    reports.cancel()
    evictions?.cancel()
    charts.cancel()
    await floods.value
    await reports.value
    await evictions?.value
    await charts.value
    admin.stop()
    await desk.close()
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

  /// Nil where Redis may not throw our keys away: then no worker starts that would lose them.
  private func startEvictionWatch() -> Task<Void, Never>? {
    guard settings.redis.allowEviction else { return nil }
    // A URL that cannot be used has been refused before; one server that is no cluster serves all.
    let clients = (try? settings.redis.clients(for: settings.queues.map(\.name), on: control)) ?? []
    let servers = clients.first?.url.kind == .cluster ? clients : Array(clients.prefix(1))
    let watch = EvictionWatch(servers, metrics, log, clock: clock)
    let control = control
    // `work` cancels it and waits for it.
    return Task(executorPreference: control) { await watch.run(on: control) }
  }

  private func startReports(_ probes: WorkerProbes) -> Task<Void, Never> {
    let (control, reports) = (control, ServiceReports(notifier: notifier) { probes.watched })
    // `work` cancels it and waits for it.
    return Task(executorPreference: control) { await reports.run(on: control) }
  }

  private func announce(_ admin: String, _ worker: Worker) {
    log.info(
      "the worker runs",
      [
        .version: .text(Version.number),
        .queue: .text(settings.queues.map(\.name).joined(separator: " ")),
        .workers: .count(settings.workers.atStart), .threads: .count(worker.shards.count),
        .admin: .text("http://\(admin)"),
        .redis: .text(loaded.usesEmbeddedRedis ? "embedded" : "configured"),
      ])
  }
}

extension Logger {
  convenience init(_ settings: Settings.Log) {
    self.init()
    follow(settings)
  }

  func follow(_ settings: Settings.Log) {
    level = LogLevel(name: settings.level.rawValue) ?? .info
    format = settings.format == .json ? .json : .logfmt
  }
}
