package import LoopIO
import PushCodec
import PushModel
import PushTelemetry
import SharedState

/// One loop's worth of the worker: it takes items, deals their targets out to lanes, and settles.
///
/// Everything of a push happens on this actor, whose executor is the loop, so that no step waits
/// for another thread. Its roles are the lanes and, for each list, a fetcher, a completer and a
/// heartbeat.
package actor Shard {
  package nonisolated let loop: Loop
  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  let feeds: [Feed]
  let codec: MessageCodec
  /// One for each credential, in the order of the codec's list: its place is its group.
  let outlets: [Outlet]
  let policy: RetryPolicy
  let metrics: WorkerMetrics
  let log: Logger
  let clock: any PushClock
  let writesReceipts: Bool
  var status: InstanceStatus

  // Lanes.
  var dispatcher: Dispatcher<OpenItem>
  var wantedLanes: Int
  let crew: LaneCrew
  var leaseTimer: LoopTimer?
  /// Targets whose token waits to be believed.
  var suspects: [Suspect] = []
  var suspectTimer: LoopTimer?

  var phase = Phase.starting
  let splitLine = SplitLine()
  var admission: Admission
  var standstill: Standstill
  /// Apps that an operator has paused in all the fleet, as far as `isFleetKnown`.
  var pausedApps: [String] = []
  var isFleetKnown = false
  /// Taking is held by a signal (TSTP), apart from the pauses of the fleet.
  var isHeld = false
  var onNews: (@Sendable (FleetNews) -> Void)?

  enum Phase { case starting, running, draining, ended }

  /// Makes the parts on the loop and the shard around them.
  package static func make(
    on loop: Loop, _ makeParts: @escaping @Sendable (Loop) throws -> ShardParts
  ) async throws -> Shard {
    try await Task(executorPreference: loop) { Shard(on: loop, try makeParts(loop)) }.value
  }

  private init(on loop: Loop, _ parts: sending ShardParts) {
    self.loop = loop
    crew = LaneCrew(parts, on: loop)
    codec = parts.codec
    let (metrics, all, log) = (parts.metrics, parts.brakes, parts.log)
    outlets = parts.providers.map { provider in
      let key = provider.key
      return Outlet(
        provider, metrics.pushes(app: key.app, provider: key.provider),
        all.brake(of: key, metrics, log))
    }
    policy = parts.policy
    self.metrics = metrics
    self.log = log
    clock = parts.clock
    writesReceipts = parts.writesReceipts
    status = parts.status
    wantedLanes = max(1, parts.workers)
    feeds = Feed.all(parts.feeds, parts.codec, parts.metrics)
    dispatcher = Dispatcher(weights: feeds.map(\.weight), groups: parts.providers.count)
    admission = Admission(groups: parts.providers.count)
    standstill = Standstill(groups: parts.providers.count)
  }

  /// Works until `stop` has drained it. Returns when everything of it has ended.
  package func run() async {
    guard phase == .starting else { return }
    phase = .running
    watchLanes()
    watchProviders()
    let splitter = Task(executorPreference: loop) { await self.runSplitter() }
    let roles = feeds.map(startRoles)
    for roles in roles { await roles.end() }
    await splitter.value
    // What could not be finished is in Redis again before the process may end.
    await released.wait()
    for feed in feeds { (feed.completerTimer, feed.cramped) = (nil, nil) }
    (suspectTimer, leaseTimer) = (nil, nil)
    crew.dismiss()
    for outlet in outlets { (outlet.provider.onGateChange, outlet.provider.onRoom) = (nil, nil) }
  }

  private func watchProviders() {
    for (group, outlet) in outlets.enumerated() {
      outlet.provider.onGateChange = { [weak self] in
        self?.assumeIsolated { $0.gateChanged(group) }
      }
      outlet.provider.onRoom = { [weak self] in
        self?.assumeIsolated { $0.roomGrew() }
      }
      gateChanged(group)
    }
  }

  /// Tasks of their own since each ends at its own time; `run` waits for them all.
  private struct FeedRoles {
    let fetcher: Task<Void, Never>
    let completer: Task<Void, Never>
    let heartbeat: Task<Void, Never>

    func end() async {
      await fetcher.value
      await completer.value
      heartbeat.cancel()
      await heartbeat.value
    }
  }

  private func startRoles(_ feed: Feed) -> FeedRoles {
    feed.completerTimer = LoopTimer(on: loop) { [completer = feed.completer] in
      completer.wake.raise()
    }
    feed.cramped = LoopTimer(on: loop) { [wake = feed.fetchWake] in wake.raise() }
    let index = feed.index
    let heartbeat = Task(executorPreference: loop) { await self.runHeartbeat(index) }
    let fetcher = Task(executorPreference: loop) { await self.runFetcher(index) }
    feed.fetcher = fetcher
    let completer = Task(executorPreference: loop) { await self.runCompleter(index) }
    return FeedRoles(fetcher: fetcher, completer: completer, heartbeat: heartbeat)
  }

  /// Sets the number of lanes while running; lanes over it end with their present push.
  package func scale(to workers: Int) {
    let workers = max(1, workers)
    if workers == wantedLanes { return }
    wantedLanes = workers
    startLanes()
    for feed in feeds { feed.fetchWake.raise() }
  }

  /// Holds taking, or goes on.
  package func hold(_ isHeld: Bool) {
    self.isHeld = isHeld
    for feed in feeds { feed.fetchWake.raise() }
  }

  /// Who is told what operators said through Redis, at each beat and take.
  package func listen(_ body: @escaping @Sendable (FleetNews) -> Void) { onNews = body }

  /// Takes nothing more; what was taken goes on until `stop`.
  package func quiet() async {
    guard phase == .running else { return }
    phase = .draining
    for feed in feeds {
      feed.fetcher?.cancel()
      feed.fetchWake.raise()
    }
    splitLine.wake.raise()
    await fetchersEnd()
  }

  /// What their last takes brought is counted among ours.
  private func fetchersEnd() async {
    for feed in feeds { await feed.fetcher?.value }
  }

  /// Takes nothing more, lets lanes finish for at most `grace`, then hands the rest back.
  package func stop(grace: Duration) async {
    let end = clock.monotonic() + grace.nanoseconds
    if phase == .starting { phase = .ended }
    await quiet()
    guard phase == .draining, !isFinishing else { return }
    isFinishing = true
    await fetchersEnd()
    await finishLanes(before: end)
    await endRoles()
    released.raise()
  }

  /// Hands back at once what a `stop` under way still waits for.
  package func hurry() { hurried = true }

  private var isFinishing = false
  private var hurried = false
  private let released = Signal()
  /// True once nothing may be started any more.
  var isCutOff = false

  /// Lanes go on until nothing waits; what does not end in time is cut off.
  private func finishLanes(before end: Int64) async {
    while dispatcher.waiting + dispatcher.running > 0, !hurried, clock.monotonic() < end {
      try? await loop.sleep(.milliseconds(5))
    }
    isCutOff = true
    _ = dispatcher.removeWaiting()
    // Requests still open end as "unknown": they are tried again by whoever takes the item next.
    if dispatcher.running > 0 { for outlet in outlets { outlet.provider.cutOff() } }
    for outlet in outlets { await outlet.provider.shutDown() }
  }

  private func endRoles() async {
    while dispatcher.running > 0 || !splitLine.hasEnded { try? await loop.sleep(.milliseconds(2)) }
    judgeSuspects(atOnce: true)
    for feed in feeds {
      for item in feed.open.values where item.remaining > 0 { writeProgress(item) }
    }
    phase = .ended
    for feed in feeds { feed.completer.wake.raise() }
    // All at once: where Redis does not answer each waits for its own deadline.
    await withDiscardingTaskGroup { group in
      for index in feeds.indices {
        group.addTask(executorPreference: self.loop) { await self.release(index) }
      }
    }
  }

  private func release(_ index: Int) async {
    let feed = feeds[index]
    while !feed.completerHasEnded { try? await loop.sleep(.milliseconds(2)) }
    if feed.completer.isAbandoned {
      // Redis has just not answered: nobody waits for it again.
      log.warning("items could not be handed back", [.queue: .text(feed.name)])
      return
    }
    do throws(QueueError) {
      try await feed.queue.release()
    } catch {
      log.warning(
        "items could not be handed back", [.queue: .text(feed.name), .detail: .text(error.detail)])
    }
  }
}
