internal import LoopIO
internal import PushQueue
internal import PushSettings
internal import SharedState

extension Verb {
  static let deadRetry = Verb(
    name: "dead retry",
    summary: "Sends the events of dead letters once more and removes the letters.",
    details: "What has expired stays, unless --ttl gives it new life.",
    options: DeadFilter.options + [
      DeadFilter.limitOption,
      Option(name: "--rate", value: "R", help: "at most so many a second"),
      Option(name: "--ttl", value: "S", help: "new lifetime in seconds from now, 1 to 2592000"),
      Option(name: "--dry-run", value: nil, help: "only say what would be done"),
    ],
    examples: [
      "allim dead retry --reason rejected --app chat --dry-run",
      "allim dead retry --limit 1000 --rate 100", "allim dead retry --reason expired --ttl 3600",
    ]
  ) { invocation throws(CommandFailure) in
    try invocation.requireOperands(0...0)
    let filter = try DeadFilter(invocation)
    let ttl = try invocation.count("--ttl", 1...2_592_000)
    let rate = try invocation.count("--rate", 1...1_000_000)
    let access = try RedisAccess(invocation)
    return try access.withQueue { queue, loop in
      let revival = Revival(access.loaded.settings, ttl: ttl)
      var tally = RetryTally()
      var pace = Pace(perSecond: rate)
      var bar = ProgressBar()
      bar.begin()
      try await queue.scanDead(filter) { page in
        let (retries, expired) = revival.retries(page.letters, now: SystemClock().wall())
        tally.expired += expired
        tally.unusable += page.letters.count - retries.count - expired
        if invocation.has("--dry-run") {
          tally.sent += retries.count
        } else {
          try await send(retries, page, &pace, queue, loop, &tally, &bar)
        }
      }
      bar.end()
      tally.report(invocation, queue.name)
      return tally.sent == 0 ? .nothingMatched : .done
    }
  }

  private static func send(
    _ retries: [DeadRetry], _ page: DeadPage, _ pace: inout Pace, _ queue: QueueInspector,
    _ loop: Loop, _ tally: inout RetryTally, _ bar: inout ProgressBar
  ) async throws {
    var rest = retries[...]
    while !rest.isEmpty {
      let batch = Array(rest.prefix(pace.batch))
      rest = rest.dropFirst(batch.count)
      let sent = try await queue.retryDead(batch, depth: page.depth)
      tally.sent += sent
      tally.gone += batch.count - sent
      bar.show("retried", count: tally.sent, part: page.part)
      if let pause = pace.pause(after: batch.count) { try await loop.sleep(pause) }
    }
  }
}

/// So many a second, and smoothly.
private struct Pace {
  private let perSecond: Int?
  private let clock = SystemClock()
  private let start: Int64
  private var done = 0

  init(perSecond: Int?) {
    self.perSecond = perSecond
    start = clock.monotonic()
  }

  /// A tenth of a second's worth.
  var batch: Int { perSecond.map { min(100, max(1, $0 / 10)) } ?? 100 }

  mutating func pause(after count: Int) -> Duration? {
    guard let perSecond else { return nil }
    done += count
    let due = start + Int64(Double(done) / Double(perSecond) * 1e9)
    let wait = due - clock.monotonic()
    return wait > 0 ? .nanoseconds(wait) : nil
  }
}

/// What became of the letters.
private struct RetryTally {
  var sent = 0
  var expired = 0
  /// Letters that hold no whole event.
  var unusable = 0
  /// Taken by others meanwhile.
  var gone = 0

  func report(_ invocation: Invocation, _ queue: String) {
    let isDry = invocation.has("--dry-run")
    guard !invocation.wantsJSON else {
      Console.print(
        JSONValue.object([
          ("queue", .text(queue)), ("retried", .number(sent)), ("expired", .number(expired)),
          ("unusable", .number(unusable)), ("gone", .number(gone)), ("dryRun", .flag(isDry)),
        ]).encoded)
      return
    }
    Console.print("\(isDry ? "would retry" : "retried") \(sent)")
    if expired > 0 { Console.print("\(expired) have expired and stay; --ttl gives new life") }
    if unusable > 0 { Console.print("\(unusable) hold no whole event and stay") }
    if gone > 0 { Console.print("\(gone) were taken by others meanwhile") }
  }
}
