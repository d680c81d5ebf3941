internal import HTTP2
internal import LoopIO
internal import PushAdmin
internal import PushModel
internal import PushProviders
internal import PushTelemetry
internal import PushWorker
internal import SharedState

/// Answers the probes and the metrics of a worker from its shards.
final class WorkerProbes: Sendable {
  /// A provider set belongs to its loop: it is looked at there alone.
  private struct Place: @unchecked Sendable {
    let set: ProviderSet
    let loop: Loop
  }

  private let metrics: WorkerMetrics
  private let places = Guarded<[Place]>([])
  private let worker = Guarded<Worker?>(nil)

  init(_ metrics: WorkerMetrics) { self.metrics = metrics }

  func add(_ set: ProviderSet, on loop: Loop) {
    let place = Place(set: set, loop: loop)
    places.withLock { $0.append(place) }
  }

  /// Looks at this worker from now on, with the provider sets that were added since the last.
  func watch(_ worker: Worker) { self.worker.withLock { $0 = worker } }

  var watched: Worker? { worker.withLock { $0 } }

  /// Leaves out the provider sets of loops that have ended.
  func forget(_ worker: Worker) {
    places.withLock { places in
      places.removeAll { place in worker.shards.contains { $0.loop === place.loop } }
    }
  }

  var admin: AdminState {
    AdminState(
      liveness: { await self.liveness() }, readiness: { await self.readiness() },
      metrics: { await self.text() })
  }

  private func snapshots() async -> [ShardSnapshot] {
    guard let worker = worker.withLock({ $0 }) else { return [] }
    var all: [ShardSnapshot] = []
    for shard in worker.shards { all.append(await shard.snapshot()) }
    return all
  }

  /// Loops turn: a shard that hangs does not answer, and the probe's time runs out.
  private func liveness() async -> AdminReport {
    _ = await snapshots()
    return AdminReport(isGood: true, "ok")
  }

  /// Redis is writable for every shard.
  private func readiness() async -> AdminReport {
    let shards = await snapshots()
    if shards.isEmpty { return AdminReport(isGood: false, "starting") }
    for shard in shards {
      if let trouble = shard.trouble {
        return AdminReport(isGood: false, "redis: \(trouble.detail)")
      }
      if shard.leaseLeft == 0 { return AdminReport(isGood: false, "no lease") }
    }
    return AdminReport(isGood: true, "ok")
  }

  private func text() async -> String {
    let shards = await snapshots()
    metrics.workers.set(shards.reduce(0) { $0 + $1.lanes })
    metrics.workersBusy.set(shards.reduce(0) { $0 + $1.busy })
    metrics.leaseRemaining.set(Int((shards.map(\.leaseLeft).min() ?? 0) / 1_000_000_000))
    await countConnections()
    return metrics.registry.render()
  }

  /// Sums over the loops.
  func pools() async -> [CredentialKey: PoolFigures] {
    var sums: [CredentialKey: PoolFigures] = [:]
    for place in places.withLock({ $0 }) {
      let figures = await Task(executorPreference: place.loop) { place.set.figures }.value
      for (key, figures) in figures { sums[key, default: PoolFigures()].add(figures) }
    }
    return sums
  }

  private func countConnections() async {
    let sums = await pools()
    var streams = 0
    var byApp: [CredentialKey: PoolFigures] = [:]
    for (key, figures) in sums {
      streams += figures.streams
      // The labels know no environment: both are one row.
      byApp[CredentialKey(app: key.app, provider: key.provider), default: PoolFigures()].add(
        figures)
    }
    for (key, figures) in byApp {
      let handles = metrics.pushes(app: key.app, provider: key.provider)
      handles.connectionsReady.set(figures.open)
      handles.connectionsOpening.set(figures.opening)
      handles.connectionsDraining.set(figures.draining)
      handles.largestStarts.set(figures.startsMax)
    }
    metrics.streamsInUse.set(streams)
  }
}

/// Sums over pools.
struct PoolFigures: Sendable {
  var open = 0
  var opening = 0
  var draining = 0
  var streams = 0
  var startsMax = 0
  /// Some loop's breaker lets nothing out, or only a little.
  var isShut = false
  var isLimited = false

  mutating func add(_ other: PoolFigures) {
    open += other.open
    opening += other.opening
    draining += other.draining
    streams += other.streams
    startsMax = max(startsMax, other.startsMax)
    isShut = isShut || other.isShut
    isLimited = isLimited || other.isLimited
  }
}

extension PoolFigures {
  /// What the breaker says, for people.
  var gate: String { isShut ? "shut" : isLimited ? "limited" : "open" }
}

extension ProviderSet {
  var figures: [(CredentialKey, PoolFigures)] {
    snapshots.map { key, pool in
      let gate = providers[key]?.gate ?? .open
      var isLimited = false
      if case .limited = gate { isLimited = true }
      let figures = PoolFigures(
        open: pool.open, opening: pool.connecting, draining: pool.draining,
        streams: pool.streamsInUse, startsMax: pool.largestStartsInAnySecond,
        isShut: gate == .shut, isLimited: isLimited)
      return (key, figures)
    }
  }
}
