internal import LoopIO
internal import PushProviders
internal import PushSettings
internal import PushTelemetry
internal import PushWorker
internal import SharedState

/// Decides how many worker tasks the shards have: what an operator asked for through Redis, else
/// what is configured; either may leave it to the load.
actor WorkerCount {
  /// What the control of a shard's list says.
  private enum Wish: Equatable {
    case none, auto
    case count(Int)
    /// For this shard alone.
    case own(Int)

    init(_ news: FleetNews) {
      switch news.wantedWorkers {
      case let count?: self = news.isForInstance ? .own(count) : .count(count)
      case nil: self = news.wantsAutoWorkers ? .auto : .none
      }
    }
  }

  private nonisolated let loop: Loop
  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  private let worker: Worker
  private let configured: Settings.Workers
  private let metrics: WorkerMetrics
  private let log: Logger
  /// Is told how many instances there are.
  private let fleet: FleetShare
  private let clock = SystemClock()

  private var wishes: [Wish]
  /// Of the process, for the shards without a wish of their own.
  private var count: Int
  private var followsLoad: Bool

  /// More than this is more than the connections of some credentials carry at a round trip of a
  /// second; fewer than the least would make the first pushes after a quiet hour wait.
  private static let bounds = 4...4_096

  init(
    _ worker: Worker, _ configured: Settings.Workers, _ metrics: WorkerMetrics, _ log: Logger,
    _ fleet: FleetShare, on loop: Loop
  ) {
    self.worker = worker
    self.configured = configured
    self.metrics = metrics
    self.log = log
    self.fleet = fleet
    self.loop = loop
    wishes = Array(repeating: .none, count: worker.shards.count)
    count = configured.atStart
    followsLoad = configured == .auto
  }

  /// Listens to the fleet, and follows the load while that is asked for, until cancelled.
  func run() async {
    for (index, shard) in worker.shards.enumerated() {
      await shard.listen { [weak self, loop, fleet] news in
        fleet.instances = news.instances
        // It ends by itself: scaling only wakes lanes. On the loop from its first step, since the
        // pool's threads ask for a priority that a service may not have, and complain in the log.
        Task(executorPreference: loop) { await self?.hear(news, shard: index) }
      }
    }
    await follow()
  }

  /// One more or one less, by a signal. It lasts until an operator asks for something else.
  func change(by step: Int) async {
    count = max(worker.shards.count, await worker.lanes() + step)
    await apply()
    log.info("the number of workers was changed by a signal", [.workers: .count(count)])
  }

  private func hear(_ news: FleetNews, shard: Int) async {
    let wish = Wish(news)
    guard wish != wishes[shard] else { return }
    wishes[shard] = wish
    let before = (count, followsLoad)
    switch wish {
    case .own(let count):
      log.info(
        "the number of workers of an instance was changed by an operator",
        [.instance: .count(shard), .workers: .count(count)])
    case .count(let count): (self.count, followsLoad) = (count, false)
    case .auto: followsLoad = true
    case .none:
      followsLoad = configured == .auto
      if !followsLoad { count = configured.atStart }
    }
    await apply()
    if before != (count, followsLoad) {
      log.info(
        "the number of workers was changed by an operator",
        [.workers: .count(count), .kind: .text(followsLoad ? "auto" : "fixed")])
    }
  }

  private func apply() async {
    for (index, shard) in worker.shards.enumerated() {
      if case .own(let own) = wishes[index] {
        await shard.scale(to: own)
      } else {
        await shard.scale(to: Worker.share(count, index, of: worker.shards.count))
      }
    }
  }

  // MARK: By load

  private func follow() async {
    var scaler = WorkerScaler(Self.bounds)
    var last = (time: clock.monotonic(), answers: metrics.sendDuration.count, seconds: 0.0)
    last.seconds = metrics.sendDuration.sumSeconds
    while !Task.isCancelled {
      try? await loop.sleep(.seconds(1))
      let now = (
        time: clock.monotonic(), answers: metrics.sendDuration.count,
        seconds: metrics.sendDuration.sumSeconds
      )
      defer { last = now }
      guard followsLoad else { continue }
      var look = WorkerScaler.Look(
        workers: count, busy: 0, waiting: 0, answers: Int(now.answers - last.answers),
        sendSeconds: now.seconds - last.seconds, seconds: Double(now.time - last.time) / 1e9)
      for shard in worker.shards {
        let state = await shard.snapshot()
        look.busy += state.busy
        look.waiting += state.waiting
      }
      let next = scaler.workers(after: look)
      guard next != count, followsLoad else { continue }
      count = next
      await apply()
      log.info("the number of workers follows the load", [.workers: .count(next)])
    }
  }
}
