internal import PushModel
package import PushWorker
internal import RedisClient

extension RedisQueue {
  /// Settlements on their way, in calls of a size that does not hold Redis up.
  struct Settling {
    fileprivate var all: [Settlement] = []
    fileprivate var parts: [Part] = []
    fileprivate struct Part {
      let range: Range<Int>
      let call: ScriptCall
      let reply: PendingReply
    }
  }

  func startSettling(_ settlements: [Settlement], on connection: RedisConnection) -> Settling {
    var settling = Settling(all: settlements)
    var start = 0
    while start < settlements.count {
      let end = Self.end(of: settlements, from: start)
      let call = calls.settle(settlements[start..<end], book)
      let reply = connection.start(call, timeout: client.timeout)
      settling.parts.append(Settling.Part(range: start..<end, call: call, reply: reply))
      start = end
    }
    return settling
  }

  /// At most 256 items, 1,000 things left and about 1 MB in one call.
  private static func end(of settlements: [Settlement], from start: Int) -> Int {
    var end = start
    var things = 0
    var bytes = 0
    while end < settlements.count, end - start < 256, things < 1_000, bytes < 1_048_576 {
      things += settlements[end].leaves.count
      bytes += settlements[end].byteCount
      end += 1
    }
    return end
  }

  func finish(
    _ settling: Settling, on connection: RedisConnection
  ) async -> Result<[Bool], QueueError> {
    var answers: [Bool] = []
    var trouble: QueueError?
    for part in settling.parts {
      let reply = await client.finish(part.reply, of: part.call, over: connection)
      do {
        answers += note(try reply.orThrow(), for: settling.all[part.range])
      } catch {
        trouble = trouble ?? error
      }
    }
    if let trouble { return .failure(trouble) }
    return .success(answers)
  }

  /// The script names the positions of items that were not ours.
  private func note(_ reply: RedisReply, for settlements: ArraySlice<Settlement>) -> [Bool] {
    var ours = [Bool](repeating: true, count: settlements.count)
    for position in reply.array ?? [] {
      guard let position = position.integer, (1...Int64(ours.count)).contains(position) else {
        continue
      }
      ours[Int(position) - 1] = false
    }
    for (settlement, isOurs) in zip(settlements, ours) {
      book.settled(settlement, wasOurs: isOurs)
    }
    return ours
  }

  package func progress(_ progress: ItemProgress) async throws(QueueError) -> Bool {
    let before = book.marks(of: progress.receipt)
    let isOurs = try await runAndWait(calls.progress(progress, after: before)).integer == 1
    book.noteProgress(progress.receipt, progress.done, wasOurs: isOurs)
    return isOurs
  }

  package func split(_ step: SplitStep) async throws(QueueError) -> Bool {
    let before = book.marks(of: step.receipt)
    let isOurs = try await run(calls.split(step, after: before)).integer == 1
    book.noteSplit(step, wasOurs: isOurs)
    return isOurs
  }

  package func putBack(_ receipts: [Receipt]) async throws(QueueError) {
    for receipt in receipts { book.forget(receipt) }
    var rest = receipts[...]
    // The last first, as each call pushes to the head.
    while !rest.isEmpty {
      _ = try await run(calls.putBack(rest.suffix(500)))
      rest = rest.dropLast(500)
    }
  }

  /// Compares the own hash with what is known here (QUEUE.md 5). To be called after an error that
  /// lost an answer, after `join`, and every 30 s: without it an item can stay stuck under a living
  /// owner.
  package func reconcile() async throws(QueueError) -> [QueueItem] {
    let (again, unknown) = try await compareOwnHash()
    if !again.isEmpty { _ = try await settle(again) }
    guard !unknown.isEmpty else { return [] }
    return try await adopt(unknown, in: keys.inflight(instance))
  }

  private func adopt(
    _ receipts: [Receipt], in hash: String
  ) async throws(QueueError) -> [QueueItem] {
    var command = RedisCommand("HMGET", hash)
    for receipt in receipts {
      command.append(String(receipt))
      command.append("p:\(receipt)")
    }
    roundTrips += 1
    let values = try await client.call(command).orThrow().array ?? []
    guard values.count == receipts.count * 2 else { return [] }
    var adopted: [QueueItem] = []
    for (index, receipt) in receipts.enumerated() {
      guard let bytes = values[index * 2].bytes else { continue }
      var item = item(receipt, bytes)
      if let marks = values[index * 2 + 1].text, let done = TargetSet(text: marks[...]) {
        var header = item.header
        header.done = done
        item = QueueItem(receipt: receipt, header: header, bytes: item.bytes)
        book.mark(receipt, done.text)
      }
      book.hold(receipt)
      adopted.append(item)
    }
    return adopted
  }
}

extension Leaving {
  /// Bytes that travel with it, about.
  var byteCount: Int {
    switch self {
    case .again(_, let header), .parked(_, let header): 120 + header.done.text.utf8.count
    case .deadLetter(_, let bytes), .invalidToken(let bytes), .heldToken(let bytes): bytes.count
    case .receipt(let receipt):
      receipt.fields.reduce(0) { $0 + $1.name.utf8.count + $1.value.utf8.count }
    }
  }
}
