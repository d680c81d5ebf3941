internal import PushModel
internal import PushQueue
internal import PushSettings
internal import PushWorker
internal import SharedState

/// One look at a queue.
struct StatsReport: Sendable {
  private let queue: String
  private let redis: String
  private let stats: QueueStats
  private let workers: [WorkerEntry]
  private let wishes: FleetNews
  private let oldestAge: Double?
  private let moment = SystemClock().monotonic()
  /// Changes a second since the look before; nil without one.
  private var rates: Rates?

  private struct Rates {
    var ready: Double
    var delayed: Double
    var dead: Double
    var invalid: Double
    var taken: Double
  }

  init(
    _ queue: QueueInspector, _ access: RedisAccess, since last: StatsReport?
  ) async throws(QueueError) {
    try await self.init(queue, access.loaded.settings, since: last)
  }

  init(
    _ queue: QueueInspector, _ settings: Settings, since last: StatsReport? = nil
  ) async throws(QueueError) {
    self.queue = queue.name
    redis = settings.redis.shownPlace
    stats = try await queue.stats(parkedOf: settings.credentials.map(\.key))
    workers = try await queue.workers()
    wishes = try await queue.wishes()
    oldestAge = stats.oldest.flatMap(Self.age)
    rates = last.flatMap(rates(since:))
  }

  private func rates(since last: StatsReport) -> Rates? {
    let seconds = Double(moment - last.moment) / 1e9
    guard seconds > 0 else { return nil }
    func rate(_ value: (QueueStats) -> Int) -> Double {
      (Double(value(stats) - value(last.stats)) / seconds * 10).rounded() / 10
    }
    return Rates(
      ready: rate(\.ready), delayed: rate(\.delayed), dead: rate(\.dead), invalid: rate(\.invalid),
      taken: rate { $0.counters[QueueCounter.taken, default: 0] })
  }

  /// Seconds since the head of the list was sent, as far as it says so.
  private static func age(_ item: [UInt8]) -> Double? {
    let split = ItemHeader.split(item)
    guard let event = JSONObject(split?.bytes ?? item) else { return nil }
    let sent = event.decimal("sentAt") ?? split.map { Double($0.header.firstTaken) / 1_000 }
    guard let sent else { return nil }
    return max(0, (Double(SystemClock().wall()) / 1_000 - sent) * 10).rounded() / 10
  }

  private var busy: Int { workers.reduce(0) { $0 + $1.status.busy } }
  private var capacity: Int { workers.reduce(0) { $0 + $1.status.capacity } }

  // MARK: JSON

  var json: JSONValue {
    let reasons = stats.deadByReason.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
    return .object([
      ("queue", .text(queue)), ("redis", .text(redis)), ("ready", .number(stats.ready)),
      ("delayed", .number(stats.delayed)), ("inFlight", .number(stats.inFlight)),
      ("parked", .number(stats.parked)), ("suspects", .number(stats.suspects)),
      ("dead", .number(stats.dead)),
      ("deadByReason", .object(reasons.map { ($0.0, .number($0.1)) })),
      ("invalid", .number(stats.invalid)), ("invalidHeld", .number(stats.invalidHeld)),
      ("oldestAgeSeconds", oldestAge.map { .decimal($0) } ?? .null),
      ("instances", .number(workers.count)), ("workers", .number(capacity)),
      ("workersBusy", .number(busy)), ("workersWanted", wanted), ("paused", .flag(wishes.isPaused)),
      ("pausedApps", .list(wishes.pausedApps.map { .text($0) })),
      ("takenPerSecond", rates.map { .decimal($0.taken) } ?? .null),
    ])
  }

  private var wanted: JSONValue { wishes.workersJSON }

  // MARK: For people

  /// A column for each queue.
  static func table(_ reports: [StatsReport]) -> [[String]] {
    func row(_ label: String, _ cell: (StatsReport) -> String) -> [String] {
      [label] + reports.map { shown(cell($0)) }
    }
    let reasons = Set(reports.flatMap(\.stats.deadByReason.keys)).sorted {
      $0.rawValue < $1.rawValue
    }
    var rows = [
      ["redis", reports.first?.redis ?? ""],
      row("queue", \.queue),
      row("ready") { $0.cell($0.stats.ready, \.ready) },
      row("delayed") { $0.cell($0.stats.delayed, \.delayed) },
      row("in flight") { String($0.stats.inFlight) },
      row("parked") { String($0.stats.parked) },
      row("suspects") { String($0.stats.suspects) },
      row("dead letters") { $0.cell($0.stats.dead, \.dead) },
    ]
    rows += reasons.map { reason in
      row("  " + reason.rawValue) { String($0.stats.deadByReason[reason] ?? 0) }
    }
    rows += [
      row("invalid tokens") { $0.cell($0.stats.invalid, \.invalid) },
      row("  held") { String($0.stats.invalidHeld) },
      row("oldest age") { $0.oldestAge.map { "\($0)s" } ?? "-" },
      row("instances") { String($0.workers.count) },
      row("workers") { "\($0.busy) busy of \($0.capacity)" },
    ]
    if reports.contains(where: { $0.rates != nil }) {
      rows.append(row("taken") { $0.rates.map { "\($0.taken)/s" } ?? "-" })
    }
    if reports.contains(where: { !$0.pauses.isEmpty }) { rows.append(row("paused", \.pauses)) }
    return rows
  }

  private func cell(_ value: Int, _ rate: (Rates) -> Double) -> String {
    guard let rate = rates.map(rate), rate != 0 else { return String(value) }
    return "\(value) (\(rate > 0 ? "+" : "")\(rate)/s)"
  }

  private var pauses: String {
    wishes.isPaused
      ? "taking"
      : wishes.pausedApps.isEmpty ? "" : "app " + wishes.pausedApps.joined(separator: ", ")
  }
}

extension FleetNews {
  /// The number of worker tasks that is asked for, `auto`, or null.
  var workersJSON: JSONValue {
    wantsAutoWorkers ? .text("auto") : wantedWorkers.map { .number($0) } ?? .null
  }
}
