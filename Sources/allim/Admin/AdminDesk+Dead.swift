internal import PushAdmin
internal import PushModel
internal import PushQueue
internal import PushTelemetry
internal import PushWorker
internal import SharedState

// Dead letters: looking, counting, and what is done to one or to many.
extension AdminDesk {
  /// Letters that one call looks at: a few dozen round trips.
  private static let budget = 2_000

  /// A page, the newest first.
  func deadList(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, LetterFilter.names + ["limit", "before"])
    let filter = try LetterFilter(parameters)
    let limit = try parameters.count("limit", 1...100) ?? 50
    let queue = try inspector(parameters)
    let count = try await queue.deadCount()
    let end = min(count, try parameters.count("before", 0...Int.max) ?? count)
    let now = clock.wall()
    var rows: [JSONValue] = []
    var scanned = 0
    let rest = try await queue.scanNewest(below: end, budget: Self.budget) { letter, position in
      scanned += 1
      if filter.matches(letter, now: now) { rows.append(letter.row(at: position)) }
      return rows.count < limit
    }
    return .object([
      ("queue", .text(queue.name)), ("count", .number(count)), ("letters", .list(rows)),
      ("scanned", .number(scanned)), ("next", rest > 0 ? .number(rest) : .null),
    ])
  }

  /// What a retry or a purge of all that match would do: one part of the list, oldest first.
  func deadPreview(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, LetterFilter.names + ["from", "ttl"])
    let filter = try LetterFilter(parameters)
    let revival = Revival(settings(), ttl: try parameters.count("ttl", 1...2_592_000))
    let queue = try inspector(parameters)
    var position = try parameters.count("from", 0...Int.max) ?? 0
    let start = position
    var (matching, retriable, expired) = (0, 0, 0)
    var pages = LetterPages()
    var isAtEnd = false
    while position - start < Self.budget, !isAtEnd {
      let size = min(pages.size, Self.budget - (position - start))
      let page = try await queue.deadLetters(from: position, count: size)
      pages.note(page)
      position += page.count
      isAtEnd = page.count < size
      let now = clock.wall()
      let letters = page.map { DeadLetter($0) }.filter { filter.matches($0, now: now) }
      let (retries, old) = revival.retries(letters, now: now)
      matching += letters.count
      retriable += retries.count
      expired += old
    }
    return .object([
      ("queue", .text(queue.name)), ("count", .number(try await queue.deadCount())),
      ("scanned", .number(position - start)), ("matching", .number(matching)),
      ("retriable", .number(retriable)), ("expired", .number(expired)),
      ("unusable", .number(matching - retriable - expired)),
      ("next", isAtEnd ? .null : .number(position)),
    ])
  }

  /// One letter, whole, and what a worker would make of its event now.
  func deadLetter(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, ["queue", "position", "key"])
    let (letter, _) = try await one(parameters)
    let now = clock.wall()
    let (_, expired) = Revival(settings(), ttl: nil).retries([letter], now: now)
    let explained = letter.event.map { Explainer(settings(), now: now).explain($0).text }
    let layout = JSONLayout(letter.bytes, hiding: JSONLayout.deviceTokens)
    return .object([
      (
        "letter",
        .text(layout?.text ?? shown(String(decoding: letter.bytes, as: UTF8.self)))
      ),
      ("explained", .optional(explained)), ("hasExpired", .flag(expired > 0)),
    ])
  }

  private func one(
    _ parameters: AdminParameters
  ) async throws -> (letter: DeadLetter, queue: QueueInspector) {
    let queue = try inspector(parameters)
    let position = try parameters.count("position", 0...1_000_000_000) ?? 0
    guard let letter = try await queue.find(try parameters.required("key"), near: position) else {
      throw AdminFailure(404, "the letter is not there any more")
    }
    return (letter, queue)
  }

  // MARK: Changes

  private static let changeNames = LetterFilter.names + ["position", "key", "limit"]

  func deadRetry(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, Self.changeNames + ["rate", "ttl"])
    let ttl = try parameters.count("ttl", 1...2_592_000)
    let revival = Revival(settings(), ttl: ttl)
    guard parameters.text("key") == nil else {
      let (letter, queue) = try await one(parameters)
      let (retries, expired) = revival.retries([letter], now: clock.wall())
      let done = try await queue.retryDead(retries)
      return .object([("done", .number(done)), ("expired", .number(expired))])
    }
    let rate = try parameters.count("rate", 1...1_000_000) ?? 100
    return try start(.retry(revival, perSecond: Double(rate)), parameters)
  }

  func deadPurge(_ request: AdminRequest) async throws -> JSONValue {
    let parameters = try AdminParameters(request, Self.changeNames)
    guard parameters.text("key") == nil else {
      let (letter, queue) = try await one(parameters)
      return .object([("done", .number(try await queue.purgeDead([letter.bytes])))])
    }
    return try start(.purge, parameters)
  }

  /// One task at a time: two would race for the same letters.
  private func start(_ work: LetterTask.Work, _ parameters: AdminParameters) throws -> JSONValue {
    guard task?.isRunning != true else {
      throw AdminFailure(409, "another task is running; stop it or wait for it")
    }
    let task = LetterTask(
      work, try LetterFilter(parameters), limit: try parameters.count("limit", 1...100_000_000),
      try inspector(parameters))
    self.task = task
    task.start(on: control)
    return .object([("task", task.json)])
  }

  func stopTask() -> JSONValue {
    task?.stop()
    return .object([("task", task?.json ?? .null)])
  }
}

extension DeadLetter {
  /// Without the event: nothing of a message stands in a list.
  fileprivate func row(at position: Int) -> JSONValue {
    let object = JSONObject(bytes)
    func number(_ name: String) -> JSONValue {
      object?.integer(name).map { .number(Int($0)) } ?? .null
    }
    func text(_ name: String) -> JSONValue { .optional(object?.string(name)) }
    return .object([
      ("position", .number(position)), ("key", .text(fingerprint)), ("id", .text(id)),
      ("reason", .text(reason)), ("detail", .text(detail)), ("provider", text("provider")),
      ("status", number("status")), ("providerReason", .optional(providerReason)),
      ("app", .optional(app)), ("type", .optional(type)), ("attempts", number("attempts")),
      ("takenAt", .number(Int(takenAt))), ("deadAt", .number(Int(deadAt))),
      ("worker", text("worker")), ("replays", .number(replays)),
    ])
  }
}
