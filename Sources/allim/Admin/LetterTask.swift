internal import LoopIO
internal import PushQueue
internal import PushWorker
internal import SharedState

/// Retries or purges many dead letters while whoever asked for it watches; on the control loop.
final class LetterTask {
  enum Work {
    case retry(Revival, perSecond: Double)
    case purge
  }

  private let work: Work
  private let filter: LetterFilter
  private let limit: Int
  private let queue: QueueInspector
  private let clock = SystemClock()
  private var loop: Loop?
  private var running: Task<Void, Never>?

  private(set) var isRunning = true
  private var total = 0
  private var scanned = 0
  private var matched = 0
  private var done = 0
  private var expired = 0
  /// Letters that hold no whole event.
  private var unusable = 0
  /// Taken by others meanwhile.
  private var gone = 0
  private var trouble: String?

  init(_ work: Work, _ filter: LetterFilter, limit: Int?, _ queue: QueueInspector) {
    self.work = work
    self.filter = filter
    self.limit = limit ?? .max
    self.queue = queue
  }

  func start(on loop: Loop) {
    self.loop = loop
    let me = LoopBound(self)
    // `AdminDesk.close` waits for it.
    running = Task(executorPreference: loop) { await me.value.run() }
  }

  func stop() { running?.cancel() }

  func ended() async { await running?.value }

  private func run() async {
    do throws(QueueError) {
      total = try await queue.deadCount()
      try await walk()
    } catch { trouble = error.code == .cancelled ? "stopped" : "redis: \(error.detail)" }
    isRunning = false
  }

  private func walk() async throws(QueueError) {
    var cursor = DeadCursor()
    while matched < limit {
      guard !Task.isCancelled else { throw QueueError(.cancelled, "stopped") }
      let page = try await queue.deadLetters(after: &cursor, count: 100)
      if page.isEmpty { return }
      let now = clock.wall()
      var letters = page.map { DeadLetter($0) }.filter { filter.matches($0, now: now) }
      letters = Array(letters.prefix(limit - matched))
      matched += letters.count
      try await settle(letters, depth: cursor.depth, now)
      scanned += page.count
    }
  }

  private func settle(
    _ letters: [DeadLetter], depth: Int, _ now: Int64
  ) async throws(QueueError) {
    guard !letters.isEmpty else { return }
    switch work {
    case .retry(let revival, let rate):
      let (retries, old) = revival.retries(letters, now: now)
      expired += old
      unusable += letters.count - retries.count - old
      try await send(retries, depth: depth, rate)
    case .purge:
      let purged = try await queue.purgeDead(letters.map(\.bytes), depth: depth)
      done += purged
      gone += letters.count - purged
    }
  }

  /// In tenths of a second's worth, so that the rate is smooth and a stop is heard at once.
  private func send(_ retries: [DeadRetry], depth: Int, _ rate: Double) async throws(QueueError) {
    var rest = retries[...]
    while !rest.isEmpty {
      guard !Task.isCancelled else { throw QueueError(.cancelled, "stopped") }
      let part = Array(rest.prefix(max(1, min(100, Int(rate / 10)))))
      rest = rest.dropFirst(part.count)
      let sent = try await queue.retryDead(part, depth: depth)
      done += sent
      gone += part.count - sent
      // A stop ends the wait, and is seen above.
      try? await loop?.sleep(.seconds(Double(part.count) / rate))
    }
  }

  var json: JSONValue {
    var kind = "purge"
    if case .retry = work { kind = "retry" }
    return .object([
      ("kind", .text(kind)), ("queue", .text(queue.name)), ("running", .flag(isRunning)),
      ("total", .number(max(total, scanned))), ("scanned", .number(scanned)),
      ("matched", .number(matched)), ("done", .number(done)), ("expired", .number(expired)),
      ("unusable", .number(unusable)), ("gone", .number(gone)), ("error", .optional(trouble)),
    ])
  }
}
