internal import PushModel
internal import PushTelemetry

/// The last hour of this process, a point each ten seconds.
struct History {
  static let seconds = 10
  private static let length = 3_600 / seconds

  /// What only grows, as it stands at one moment.
  struct Totals {
    /// UNIX seconds.
    var at: Int64 = 0
    var outcomes = [UInt64](repeating: 0, count: History.outcomes.count)
    var dead: [DeadReason: UInt64] = [:]
    var queueAge = HistogramCounts()
    var sendTime = HistogramCounts()
    /// Seconds; not a sum.
    var oldestAge = 0.0
  }

  static let outcomes = ["accepted", "invalidToken", "dead", "expired", "cancelled"]

  private struct Point {
    let at: Int64
    let perSecond: [Double]
    let dead: [DeadReason: UInt64]
    let oldestAge: Double
    let queueAge: (p50: Double?, p99: Double?)
    let sendTime: (p50: Double?, p99: Double?)
  }

  private var last: Totals?
  private var points: [Point] = []

  /// The first only says where the others begin.
  mutating func note(_ totals: Totals) {
    defer { last = totals }
    guard let last, totals.at > last.at else { return }
    let span = Double(totals.at - last.at)
    let age = totals.queueAge.since(last.queueAge)
    let send = totals.sendTime.since(last.sendTime)
    points.append(
      Point(
        at: totals.at,
        perSecond: zip(totals.outcomes, last.outcomes).map {
          (Double($0 &- $1) / span * 10).rounded() / 10
        },
        dead: totals.dead.merging(last.dead) { $0 &- $1 }.filter { $0.value > 0 },
        oldestAge: totals.oldestAge,
        queueAge: (age.quantile(0.5), age.quantile(0.99)),
        sendTime: (send.quantile(0.5), send.quantile(0.99))))
    if points.count > Self.length { points.removeFirst() }
  }

  var json: JSONValue {
    let outcomes = Self.outcomes.enumerated().map { index, name in
      (name, JSONValue.list(points.map { .decimal($0.perSecond[index]) }))
    }
    let reasons = DeadReason.allCases.filter { reason in
      points.contains { $0.dead[reason] != nil }
    }
    return .object([
      ("interval", .number(Self.seconds)), ("at", .list(points.map { .number(Int($0.at)) })),
      ("perSecond", .object(outcomes)),
      ("oldestAge", .list(points.map { .decimal($0.oldestAge) })),
      ("queueAge", Self.quantiles(points.map(\.queueAge))),
      ("sendTime", Self.quantiles(points.map(\.sendTime))),
      (
        "deadByReason",
        .object(
          reasons.map { reason in
            (reason.rawValue, .list(points.map { .number(Int($0.dead[reason] ?? 0)) }))
          })
      ),
    ])
  }

  private static func quantiles(_ pairs: [(p50: Double?, p99: Double?)]) -> JSONValue {
    .object([
      ("p50", .list(pairs.map { $0.p50.map { .decimal($0) } ?? .null })),
      ("p99", .list(pairs.map { $0.p99.map { .decimal($0) } ?? .null })),
    ])
  }
}
