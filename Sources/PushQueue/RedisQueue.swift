internal import LoopIO
internal import PushModel
package import PushWorker
package import RedisClient
package import SharedState

/// A queue in Redis as one instance sees it, used only on its loop's thread.
///
/// Commands go over one connection, the blocking peek over another, so that neither waits for the
/// other. Two calls that are started without an `await` between them share one write.
package final class RedisQueue: JobQueue {
  package let name: String
  package let instance: String
  package private(set) var startDeadline = Int64.min

  let client: RedisClient
  let settings: QueueSettings
  let keys: QueueKeys
  let calls: ScriptCalls
  private let clock: any PushClock
  private let peek: QueuePeek
  var book = ReceiptBook()
  private var server = ServerClock()
  private var news = FleetNews()
  private var isHeldBack = false
  private var looksForDead = 0
  /// Told of results that fewer replicas have than `waitReplicas`, and why when Redis said so.
  package var onTooFewReplicas: ((_ replicas: Int, _ reason: String?) -> Void)?
  /// The number of the connection over which the ring was replayed last.
  var replayedOver = 0
  /// Writes that waited for an answer, for the figure of round trips an item.
  package internal(set) var roundTrips = 0

  /// `client` and `peek` must be two clients of the same Redis on this loop.
  package init(
    _ name: String, instance: String, client: RedisClient, peek: RedisClient,
    settings: QueueSettings = QueueSettings(), clock: any PushClock = SystemClock()
  ) throws(QueueError) {
    self.name = name
    self.instance = instance
    self.client = client
    self.settings = settings
    self.clock = clock
    keys = try QueueKeys(queue: name)
    calls = ScriptCalls(keys: keys, instance: instance, settings: settings)
    self.peek = QueuePeek(of: keys.ready, by: instance, over: peek)
  }

  func connection() async throws(QueueError) -> RedisConnection {
    do { return try await client.connected() } catch { throw QueueError(error) }
  }

  func run(_ call: ScriptCall) async throws(QueueError) -> RedisReply {
    roundTrips += 1
    return try await client.call(call).orThrow()
  }

  // MARK: Lease

  package func join() async throws(QueueError) {
    let sent = clock.monotonic()
    let reply = try await run(calls.join())
    noteLease(reply, sent: sent)
    // Whoever joins again reconciles, which replays more.
    replayedOver = client.connections
  }

  /// Status and news travel in the same write. They are no part of the script, since the beat must
  /// work when only its own key can be written, and may fail without harm.
  package func beat(_ status: InstanceStatus) async throws(QueueError) -> FleetNews {
    let sent = clock.monotonic()
    let connection = try await connection()
    roundTrips += 1
    let call = calls.beat()
    let timeout = client.timeout
    let beat = connection.start(call, timeout: timeout)
    var report = RedisCommand("HSET", keys.instances, instance)
    report.append(status.text)
    let reported = connection.start(report, timeout: timeout)
    let control = connection.start(RedisCommand("HGETALL", keys.control), timeout: timeout)
    let reply = await client.finish(beat, of: call, over: connection)
    _ = await reported.value()
    let wishes = await control.value()
    guard try reply.orThrow().array?.count == 2 else {
      // Nobody would ever remove the report of an instance without a lease.
      _ = connection.start(RedisCommand("HDEL", keys.instances, instance), timeout: timeout)
      throw fenced()
    }
    noteLease(reply, sent: sent)
    if wishes.array != nil { news.read(wishes.pairs, of: instance) }
    await replayIfReconnected()
    return news
  }

  private func noteLease(_ reply: RedisReply, sent: Int64) {
    guard let fields = reply.array, fields.count == 2 else { return }
    // Counted from before the request was sent: the lease cannot end earlier than that.
    startDeadline = sent + (settings.lease - settings.margin).nanoseconds
    server.note(milliseconds: fields[0].integer ?? 0, at: clock.monotonic())
    news.instances = max(1, Int(fields[1].integer ?? 1))
  }

  private func fenced() -> QueueError {
    startDeadline = .min
    return QueueError(.fenced, "the lease is over or gone")
  }

  // MARK: Taking and settling

  package func take(_ order: TakeOrder) async throws(QueueError) -> Batch {
    try await settleAndTake([], order).taken.get()
  }

  package func settle(_ settlements: [Settlement]) async throws(QueueError) -> [Bool] {
    try await settleAndTake(settlements, TakeOrder(0)).settled.get()
  }

  package func settleAndTake(
    _ settlements: [Settlement], _ order: TakeOrder
  ) async -> SettledAndTaken {
    let isTaking = order.want > 0
    let connection: RedisConnection
    do {
      connection = try await self.connection()
    } catch {
      return SettledAndTaken(
        settled: settlements.isEmpty ? .success([]) : .failure(error),
        taken: isTaking ? .failure(error) : .success(Batch()))
    }
    roundTrips += 1
    let settling = startSettling(settlements, on: connection)
    let taking = isTaking ? startTaking(order, on: connection) : nil
    // Behind the take, whose answer need not wait for replicas.
    let waiting = settlements.isEmpty ? nil : startWaiting(on: connection)
    let both = SettledAndTaken(
      settled: await finish(settling, on: connection),
      taken: await finish(taking, on: connection))
    await finish(waiting: waiting)
    return both
  }

  private struct Taking {
    let first: Receipt
    let call: ScriptCall
    let reply: PendingReply
  }

  private func startTaking(_ order: TakeOrder, on connection: RedisConnection) -> Taking {
    var order = order
    order.want = min(order.want, 1_000)  // Lua's unpack has a limit
    let first = book.beginTake(
      order.want, at: server.milliseconds(at: clock.monotonic()) ?? 0)
    let call = calls.take(order, first: first)
    return Taking(
      first: first, call: call, reply: connection.start(call, timeout: client.timeout))
  }

  private func finish(
    _ taking: Taking?, on connection: RedisConnection
  ) async -> Result<Batch, QueueError> {
    guard let taking else { return .success(Batch()) }
    let reply = await client.finish(taking.reply, of: taking.call, over: connection)
    book.endTake(taking.first)
    do {
      return .success(try batch(from: reply.orThrow(), first: taking.first))
    } catch {
      return .failure(error)
    }
  }

  private func batch(from reply: RedisReply, first: Receipt) throws(QueueError) -> Batch {
    guard let fields = reply.array, fields.count == 7, let items = fields[5].array
    else { throw fenced() }
    var batch = Batch()
    batch.serverTime = fields[0].integer ?? 0
    server.note(milliseconds: batch.serverTime, at: clock.monotonic())
    if let due = fields[1].integer, due >= 0 {
      batch.nextDue = .milliseconds(max(0, due - batch.serverTime))
    }
    news.instances = max(1, Int(fields[2].integer ?? 1))
    news.read(fields[4].pairs, of: instance)
    isHeldBack = fields[3].integer == 1
    batch.news = news
    batch.parked = fields[6].array?.map { Int($0.integer ?? 0) } ?? []
    batch.items.reserveCapacity(items.count)
    for index in items.indices {
      let receipt = first + Receipt(index)
      book.hold(receipt)
      let bytes: [UInt8] = if case .bytes(let bytes) = items[index] { bytes } else { [] }
      batch.items.append(item(receipt, bytes))
    }
    return batch
  }

  /// The header of a fresh item follows from its receipt, here as in the scripts. A header that the
  /// script accepted and that cannot be read, such as a number of 40 digits, can only have come from
  /// outside: then all of it counts as what was pushed.
  func item(_ receipt: Receipt, _ bytes: consuming [UInt8]) -> QueueItem {
    if let (header, bytes) = ItemHeader.split(bytes) {
      return QueueItem(receipt: receipt, header: header, bytes: bytes)
    }
    let header = ItemHeader(
      id: .taken(by: instance, receipt: receipt), firstTaken: ReceiptBook.moment(of: receipt))
    return QueueItem(receipt: receipt, header: header, bytes: bytes)
  }

  // MARK: Waiting

  package func waitForWork(upTo limit: Duration) async {
    if news.isPaused || isHeldBack {
      // Work is there and may not be taken: a peek would return at once, again and again.
      let pause = news.isPaused ? Duration.seconds(1) : .milliseconds(50)
      try? await client.loop.sleep(min(limit, pause))
      return
    }
    await peek.wait(upTo: limit, amongInstances: news.instances)
  }

  package func wake() { peek.wake() }

  // MARK: Other instances

  package func recover() async throws(QueueError) -> Int {
    // Nothing has been heard of the server's clock: nobody's lease can be said to be over.
    guard let now = server.milliseconds(at: clock.monotonic()) else { return 0 }
    // Once a minute, with a look each 3 s.
    if looksForDead % 20 == 0 { try await dropOldLetters(now: now) }
    looksForDead += 1
    let lapsed = RedisCommand("ZRANGEBYSCORE", keys.leases, "-inf", "(\(now)", "LIMIT", "0", "16")
    roundTrips += 1
    let names = try await client.call(lapsed).orThrow().array ?? []
    var recovered = 0
    for name in names.compactMap(\.text) where name != instance {
      var isDone = false
      while !isDone {
        let counts = try await run(calls.recover(name)).array?.compactMap(\.integer) ?? []
        guard counts.count == 2 else { break }
        recovered += Int(counts[0])
        isDone = counts[1] == 0
      }
    }
    return recovered
  }

  /// At most 1,000 a time: a list that was filled for weeks is not emptied in one go.
  private func dropOldLetters(now: Int64) async throws(QueueError) {
    for _ in 0..<10 {
      let call = calls.dropDead(before: now - settings.deadMaxAge.milliseconds)
      guard try await run(call).integer == 100 else { return }
    }
  }

  // MARK: Ending

  package func release() async throws(QueueError) {
    startDeadline = .min
    peek.close()
    while try await run(calls.release()).integer ?? 0 > 0 {}
    book.forgetAll()
  }
}

/// The server's clock as seen from here, good enough to ask "whose lease may be over": the script
/// looks again.
private struct ServerClock {
  private var offset: Int64?

  mutating func note(milliseconds: Int64, at monotonic: Int64) {
    offset = milliseconds - monotonic / 1_000_000
  }

  /// Nil before the server was heard of.
  func milliseconds(at monotonic: Int64) -> Int64? { offset.map { monotonic / 1_000_000 + $0 } }
}
