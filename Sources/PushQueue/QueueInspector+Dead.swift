internal import LoopIO
package import PushWorker
internal import RedisClient

// Dead letters: reading, sending again, removing. All of it may run while workers add letters and
// others pop them.
extension QueueInspector {
  package func deadCount() async throws(QueueError) -> Int {
    Int(try await call(RedisCommand("LLEN", keys.dead)).integer ?? 0)
  }

  /// Letters as JSON (EVENTS.md 2), oldest first, from position `start`.
  package func deadLetters(from start: Int, count: Int) async throws(QueueError) -> [[UInt8]] {
    try await slice(keys.dead, start, count)
  }

  /// The letters after `cursor`, oldest first, at most `count` and about 1 MB of them; empty at the
  /// end. Whoever goes on until then has seen every letter that was there at the start and was not
  /// removed meanwhile, and perhaps some twice.
  package func deadLetters(
    after cursor: inout DeadCursor, count: Int
  ) async throws(QueueError) -> [[UInt8]] {
    if let end = cursor.end, cursor.next >= end { return [] }
    var call = ScriptCall(QueueScripts.deadPage, keys: [keys.dead, keys.counters])
    call.arguments.append(cursor.next)
    call.arguments.append(count)
    call.arguments.append(1_048_576)
    guard let fields = try await client.call(call).orThrow().array, fields.count == 4,
      let first = fields[0].integer, let written = fields[1].integer
    else { return [] }
    let end = cursor.end ?? Int(written)
    let letters = fields[3].array?.compactMap(\.bytes).prefix(max(0, end - Int(first))) ?? []
    cursor.next = Int(first) + letters.count
    cursor.end = end
    cursor.depth = Int(fields[2].integer ?? 0)
    return Array(letters)
  }

  /// Sends the events of letters once more and removes the letters; how many were still there.
  /// Whether an event has expired the caller decides from the letter: nothing here reads JSON.
  ///
  /// At most 100 go in one step, and `perSecond` in a second if it is given. `depth` is about how
  /// many other letters lie in front of them, for steps that do not hold Redis up.
  package func retryDead(
    _ retries: [DeadRetry], depth: Int = 0, perSecond: Double? = nil
  ) async throws(QueueError) -> Int {
    var sent = 0
    var rest = retries[...]
    let step = Self.step(depth, perSecond)
    while !rest.isEmpty {
      var call = ScriptCall(
        QueueScripts.retryDead, keys: [keys.dead, keys.ready, keys.counters])
      for retry in rest.prefix(step) { retry.append(to: &call.arguments) }
      rest = rest.dropFirst(step)
      sent += Int(try await client.call(call).orThrow().integer ?? 0)
      guard let perSecond, !rest.isEmpty else { continue }
      do {
        try await client.loop.sleep(.seconds(Double(step) / perSecond))
      } catch {
        throw QueueError(.cancelled, "\(sent) letters were sent again")
      }
    }
    return sent
  }

  /// Removes letters; how many were still there. `depth` as in `retryDead`.
  package func purgeDead(_ letters: [[UInt8]], depth: Int = 0) async throws(QueueError) -> Int {
    var purged = 0
    var rest = letters[...]
    let step = Self.step(depth, nil)
    while !rest.isEmpty {
      var call = ScriptCall(QueueScripts.purgeDead, keys: [keys.dead, keys.counters])
      for letter in rest.prefix(step) { call.arguments.append(letter) }
      rest = rest.dropFirst(step)
      purged += Int(try await client.call(call).orThrow().integer ?? 0)
    }
    return purged
  }

  /// Removes letters that became letters before a moment (UNIX milliseconds of the server), the
  /// oldest first, at most 100; how many.
  package func purgeDead(before moment: Int64) async throws(QueueError) -> Int {
    var call = ScriptCall(QueueScripts.dropDead, keys: [keys.dead, keys.counters])
    call.arguments.append(moment)
    call.arguments.append(100)
    call.arguments.append(QueueCounter.deadPurged)
    return Int(try await client.call(call).orThrow().integer ?? 0)
  }

  /// Letters in one step: a letter is looked for from the head, so that the deeper they lie the
  /// fewer go at once, and ten steps a second when there is a rate.
  private static func step(_ depth: Int, _ perSecond: Double?) -> Int {
    let most = max(1, min(100, 100_000 / max(1, depth)))
    guard let perSecond else { return most }
    return max(1, min(most, Int(perSecond / 10)))
  }
}

/// Where a walk over the dead letters stands. A new one stands in front of the oldest.
package struct DeadCursor: Sendable, Equatable {
  /// Letters are numbered by how many were ever written.
  var next = -1
  /// After the last letter that was there when the walk began.
  var end: Int?
  /// How many letters lay in front of the page read last.
  package fileprivate(set) var depth = 0

  package init() {}
}
