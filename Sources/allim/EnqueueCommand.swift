internal import PushQueue
internal import PushSettings
internal import SharedState

extension Verb {
  static let enqueue = Verb(
    name: "enqueue", operands: "[FILE…|-]",
    summary: "Pushes events, one JSON object a line, after checking each.",
    details:
      "A line that is no good event is named on stderr and not pushed; the others are, and the"
      + " exit code is 1.",
    options: [queueOption], operandWords: .files,
    examples: [
      "allim enqueue events.jsonl", "generate-events | allim enqueue --queue push:bulk",
      #"echo '{"type":"notice","title":"Hi","devices":[{"platform":"ios","token":"…"}]}' | allim enqueue"#,
    ]
  ) { invocation throws(CommandFailure) in
    let access = try RedisAccess(invocation)
    let files = invocation.operands.isEmpty ? ["-"] : invocation.operands
    return try access.withQueue { queue, _ in
      var pusher = EventPusher(check: EventCheck(access.loaded.settings))
      for file in files { try await pusher.push(file, to: queue) }
      pusher.report(asJSON: invocation.wantsJSON, queue: queue.name)
      return pusher.refused > 0 ? .failed : .done
    }
  }
}

/// Moves lines into the list, in batches.
private struct EventPusher {
  /// Large enough that the round trip does not count, small enough for Redis' reply buffers.
  private static let batchEvents = 500
  private static let batchBytes = 1 << 20

  let check: EventCheck
  private(set) var pushed = 0
  private(set) var refused = 0
  private(set) var length = 0
  private var bar = ProgressBar()

  init(check: EventCheck) { self.check = check }

  mutating func push(_ file: String, to queue: QueueInspector) async throws {
    let lines = try InputLines(file)
    let size = lines.size
    bar.begin()
    defer { bar.end() }
    var batch: [[UInt8]] = []
    var bytes = 0
    while let line = try lines.next() {
      guard line.contains(where: { $0 > 0x20 }) else { continue }
      if let fault = check.fault(of: line, now: SystemClock().wall()) {
        refused += 1
        bar.end()
        Console.error("\(file == "-" ? "stdin" : file):\(lines.number): \(shown(fault))")
        continue
      }
      batch.append(line)
      bytes += line.count
      if batch.count == Self.batchEvents || bytes >= Self.batchBytes {
        try await send(&batch, to: queue)
        bytes = 0
        bar.show(
          "pushed", count: pushed,
          part: size.map { Double(lines.bytesRead) / Double(max(1, $0)) })
      }
    }
    try await send(&batch, to: queue)
  }

  private mutating func send(_ batch: inout [[UInt8]], to queue: QueueInspector) async throws {
    guard !batch.isEmpty else { return }
    length = try await queue.enqueue(batch)
    pushed += batch.count
    batch = []
  }

  func report(asJSON: Bool, queue: String) {
    guard asJSON else {
      let wrong = refused == 0 ? "" : ", \(refused) refused"
      Console.print("\(pushed) pushed to \(queue)\(wrong)")
      return
    }
    Console.print(
      JSONValue.object([
        ("queue", .text(queue)), ("pushed", .number(pushed)), ("refused", .number(refused)),
        ("length", .number(length)),
      ]).encoded)
  }
}
