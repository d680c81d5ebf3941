internal import LoopIO
internal import PushModel
internal import PushQueue
internal import PushSettings
internal import PushWorker
internal import SharedState

extension Verb {
  static let stats = Verb(
    name: "stats",
    summary:
      "Prints ready, delayed, in flight, parked, dead (by reason), invalid, oldest age, workers.",
    options: [
      queueOption,
      Option(name: "--watch", value: nil, help: "again every 2 s, with rates, until interrupted"),
    ], examples: ["allim stats", "allim stats --watch", "allim stats --queue push:calls --json"]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let access = try RedisAccess(invocation)
    return try access.withQueue { queue, loop in
      var last = try await StatsReport(queue, access)
      last.print(asJSON: invocation.wantsJSON)
      while invocation.has("--watch") {
        try await loop.sleep(.seconds(2))
        var next = try await StatsReport(queue, access)
        next.rate(since: last)
        if !invocation.wantsJSON { Console.print("") }
        next.print(asJSON: invocation.wantsJSON)
        last = next
      }
      return .done
    }
  }
}

/// One look at a queue.
private struct StatsReport {
  private let queue: String
  private let redis: String
  private let stats: QueueStats
  private let workers: [WorkerEntry]
  private let wishes: FleetNews
  private let oldestAge: Double?
  private let moment = SystemClock().monotonic()
  private var takenPerSecond: Double?

  init(_ queue: QueueInspector, _ access: RedisAccess) async throws(QueueError) {
    self.queue = queue.name
    redis = access.shownPlace
    stats = try await queue.stats(parkedOf: access.loaded.settings.credentials.map(\.key))
    workers = try await queue.workers()
    wishes = try await queue.wishes()
    oldestAge = stats.oldest.flatMap(Self.age)
  }

  mutating func rate(since last: StatsReport) {
    let seconds = Double(moment - last.moment) / 1e9
    let count = Self.taken(stats) - Self.taken(last.stats)
    takenPerSecond = seconds > 0 ? (Double(count) / seconds * 10).rounded() / 10 : nil
  }

  private static func taken(_ stats: QueueStats) -> Int {
    stats.counters[QueueCounter.taken, default: 0]
  }

  /// Seconds since the head of the list was sent, as far as it says so.
  private static func age(_ item: [UInt8]) -> Double? {
    let split = ItemHeader.split(item)
    guard let event = JSONObject(split?.bytes ?? item) else { return nil }
    let sent = event.decimal("sentAt") ?? split.map { Double($0.header.firstTaken) / 1_000 }
    guard let sent else { return nil }
    return max(0, (Double(SystemClock().wall()) / 1_000 - sent) * 10).rounded() / 10
  }

  func print(asJSON: Bool) {
    if asJSON { Console.print(json.encoded) } else { Console.table(rows) }
  }

  private var busy: Int { workers.reduce(0) { $0 + $1.status.busy } }
  private var capacity: Int { workers.reduce(0) { $0 + $1.status.capacity } }

  private var reasons: [(String, Int)] {
    stats.deadByReason.map { ($0.key.rawValue, $0.value) }.sorted { $0.0 < $1.0 }
  }

  private var json: JSONValue {
    .object([
      ("queue", .text(queue)), ("redis", .text(redis)), ("ready", .number(stats.ready)),
      ("delayed", .number(stats.delayed)), ("inFlight", .number(stats.inFlight)),
      ("parked", .number(stats.parked)), ("suspects", .number(stats.suspects)),
      ("dead", .number(stats.dead)),
      ("deadByReason", .object(reasons.map { ($0.0, .number($0.1)) })),
      ("invalid", .number(stats.invalid)), ("invalidHeld", .number(stats.invalidHeld)),
      ("oldestAgeSeconds", oldestAge.map { .decimal($0) } ?? .null),
      ("instances", .number(workers.count)), ("workers", .number(capacity)),
      ("workersBusy", .number(busy)),
      ("workersWanted", wishes.wantedWorkers.map { .number($0) } ?? .null),
      ("paused", .flag(wishes.isPaused)),
      ("takenPerSecond", takenPerSecond.map { .decimal($0) } ?? .null),
    ])
  }

  private var rows: [[String]] {
    var rows = [
      ["queue", queue + (wishes.isPaused ? " (paused)" : "")], ["redis", redis],
      ["ready", String(stats.ready)], ["delayed", String(stats.delayed)],
      ["in flight", String(stats.inFlight)], ["parked", String(stats.parked)],
      ["suspects", String(stats.suspects)], ["dead", String(stats.dead)],
    ]
    rows += reasons.map { ["  " + $0.0, String($0.1)] }
    rows += [
      ["invalid tokens", String(stats.invalid)], ["  held", String(stats.invalidHeld)],
      ["oldest age", oldestAge.map { "\($0)s" } ?? "-"],
      ["instances", String(workers.count)], ["workers", "\(busy) busy of \(capacity)"],
    ]
    if let rate = takenPerSecond { rows.append(["taken per second", String(rate)]) }
    return rows
  }
}
