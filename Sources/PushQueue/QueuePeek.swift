internal import LoopIO
internal import RedisClient

/// Waits for work by a blocking look at the list, on a connection of its own.
///
/// `BLMOVE Q Q LEFT LEFT` moves the head to where it is: nothing changes and nothing is stolen, so
/// a waiter whose connection is half open cannot take an item with it. Each wake-up costs one
/// entry of AOF and replication, so that of many instances only about sixteen peek and the others
/// look every second (QUEUE.md 4).
final class QueuePeek {
  private static let most = 16

  private let list: String
  private let number: Int
  private let client: RedisClient
  private var peeking: (reply: PendingReply, connection: RedisConnection)?

  init(of list: String, by instance: String, over client: RedisClient) {
    self.list = list
    self.client = client
    number = Self.spread(instance)
  }

  /// FNV-1a: the same on every machine, unlike Swift's hash.
  private static func spread(_ text: String) -> Int {
    let hash = text.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
    return Int(hash)
  }

  /// Returns when the list has something, when `limit` is over, when it is woken, or when the task
  /// is cancelled. A peek that nobody waits for any more goes on and serves the next wait: it takes
  /// nothing, so that it can be left alone.
  func wait(upTo limit: Duration, amongInstances live: Int) async {
    guard limit > .zero else { return }
    guard number % max(1, live) < Self.most else { return await pause(limit) }
    guard let connection = try? await client.connected() else { return await pause(limit) }
    let reply = peek(upTo: limit, over: connection)
    let timer = LoopTimer(on: client.loop) { reply.giveUp() }
    timer.arm(after: limit)
    let answer = await reply.valueUnlessCancelled(on: client.loop)
    timer.cancel()
    if reply.isThere { peeking = nil }
    // Memory full, for example: then by looking.
    if case .error? = answer { await pause(limit) }
  }

  /// Ends a wait under way.
  func wake() { peeking?.reply.giveUp() }

  /// The peek under way, or a new one.
  private func peek(upTo limit: Duration, over connection: RedisConnection) -> PendingReply {
    if let peeking, peeking.connection === connection { return peeking.reply }
    let seconds = max(limit.milliseconds, 1)
    let command = RedisCommand(
      "BLMOVE", list, list, "LEFT", "LEFT", "\(seconds / 1_000).\(Self.thousandths(seconds))")
    let reply = connection.start(command, timeout: limit + .seconds(1))
    peeking = (reply, connection)
    return reply
  }

  private func pause(_ limit: Duration) async {
    try? await client.loop.sleep(min(limit, .seconds(1)))
  }

  private static func thousandths(_ milliseconds: Int64) -> String {
    let digits = String(milliseconds % 1_000)
    return String(repeating: "0", count: 3 - digits.count) + digits
  }

  func close() { client.close() }
}
