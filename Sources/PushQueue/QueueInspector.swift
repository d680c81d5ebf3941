package import PushModel
package import PushWorker
package import RedisClient

/// A queue as an operator sees it: figures, dead letters, feedback, workers, wishes. It needs no
/// lease and disturbs no worker.
package final class QueueInspector {
  package let name: String
  let keys: QueueKeys
  let client: RedisClient

  package init(_ name: String, _ client: RedisClient) throws(QueueError) {
    self.name = name
    self.client = client
    keys = try QueueKeys(queue: name)
  }

  func call(_ command: RedisCommand) async throws(QueueError) -> RedisReply {
    try await client.call(command).orThrow()
  }

  // MARK: Figures

  /// Everything of `QueueStats` in two round trips. `credentials` names the parked lists to count.
  package func stats(parkedOf credentials: [CredentialKey] = []) async throws(QueueError)
    -> QueueStats
  {
    let connection: RedisConnection
    do { connection = try await client.connected() } catch { throw QueueError(error) }
    func start(_ words: String...) -> PendingReply {
      var command = RedisCommand()
      for word in words { command.append(word) }
      return connection.start(command, timeout: client.timeout)
    }
    var lengths: [PendingReply] = []
    for list in [keys.ready, keys.suspects, keys.dead, keys.invalid, keys.held] {
      lengths.append(start("LLEN", list))
    }
    let delayed = start("ZCARD", keys.delayed)
    let parked = Set(credentials.map { keys.parked($0) })
      .map { start("LLEN", $0) }
    let leases = start("ZRANGE", keys.leases, "0", "-1")
    let counters = start("HGETALL", keys.counters)
    let head = start("LINDEX", keys.ready, "0")

    var stats = QueueStats()
    stats.ready = try await Self.number(lengths[0])
    stats.suspects = try await Self.number(lengths[1])
    stats.dead = try await Self.number(lengths[2])
    stats.invalid = try await Self.number(lengths[3])
    stats.invalidHeld = try await Self.number(lengths[4])
    stats.delayed = try await Self.number(delayed)
    for list in parked { stats.parked += try await Self.number(list) }
    let instances = try await leases.value().orThrow().array?.compactMap(\.text) ?? []
    stats.instances = instances.count
    stats.counters = try await counters.value().orThrow().pairs.compactMapValues { Int($0) }
    stats.oldest = try await head.value().orThrow().bytes
    for hash in instances.map({ start("HLEN", keys.inflight($0)) }) {
      stats.inFlight += try await Self.number(hash)
    }
    return stats
  }

  private static func number(_ reply: PendingReply) async throws(QueueError) -> Int {
    Int(try await reply.value().orThrow().integer ?? 0)
  }

  /// Instances with a lease, by name.
  package func workers() async throws(QueueError) -> [WorkerEntry] {
    let time = try await call(RedisCommand("TIME")).array?.compactMap(\.text) ?? []
    let now = time.first.flatMap { Int64($0) }.map { $0 * 1_000 } ?? 0
    let scores = RedisCommand("ZRANGE", keys.leases, "0", "-1", "WITHSCORES")
    let leases = try await call(scores).pairs
    let entries = try await call(RedisCommand("HGETALL", keys.instances)).pairs
    return leases.map { instance, end in
      WorkerEntry(
        instance: instance, status: InstanceStatus(text: entries[instance] ?? ""),
        leaseLeft: .milliseconds((Double(end).map { Int64($0) } ?? 0) - now))
    }.sorted { $0.instance < $1.instance }
  }

  // MARK: Feedback

  package func invalidCount() async throws(QueueError) -> Int {
    Int(try await call(RedisCommand("LLEN", keys.invalid)).integer ?? 0)
  }

  /// Records as JSON (EVENTS.md 3), oldest first, from position `start`.
  package func invalidTokens(from start: Int, count: Int) async throws(QueueError) -> [[UInt8]] {
    try await slice(keys.invalid, start, count)
  }

  /// Removes and returns the oldest records, at most `count`; empty = the list is empty.
  package func drainInvalid(_ count: Int) async throws(QueueError) -> [[UInt8]] {
    let reply = try await call(RedisCommand("LPOP", keys.invalid, String(count)))
    return reply.array?.compactMap(\.bytes) ?? []
  }

  func slice(
    _ list: String, _ start: Int, _ count: Int
  ) async throws(QueueError) -> [[UInt8]] {
    guard count > 0 else { return [] }
    let end = start + count - 1
    return try await call(RedisCommand("LRANGE", list, String(start), String(end))).array?
      .compactMap(\.bytes) ?? []
  }

  // MARK: Wishes

  /// Worker tasks that each process is to have, or those of one instance; nil = as configured.
  /// Workers read it within one beat.
  package func scale(_ workers: Int?, instance: String? = nil) async throws(QueueError) {
    let field = instance.map { ControlField.workers(of: $0) } ?? ControlField.workers
    try await set(field, workers.map { String($0) })
  }

  /// Lets the number of worker tasks of each process follow the load, whatever is configured.
  package func scaleByLoad() async throws(QueueError) {
    try await set(ControlField.workers, ControlField.auto)
  }

  /// Stops or resumes taking from this queue.
  package func setPaused(_ isPaused: Bool) async throws(QueueError) {
    try await set(ControlField.paused, isPaused ? "1" : nil)
  }

  /// Stops or resumes sending for an app.
  package func setPaused(_ isPaused: Bool, app: String) async throws(QueueError) {
    try await set(ControlField.paused(app: app), isPaused ? "1" : nil)
  }

  func set(_ field: String, _ value: String?) async throws(QueueError) {
    var call = ScriptCall(QueueScripts.control, keys: [keys.control])
    call.arguments.append(field)
    call.arguments.append(value ?? "")
    _ = try await client.call(call).orThrow()
  }

  /// What is asked for at present, as an instance of this name would read it.
  package func wishes(for instance: String = "") async throws(QueueError) -> FleetNews {
    var news = FleetNews()
    news.read(try await call(RedisCommand("HGETALL", keys.control)).pairs, of: instance)
    return news
  }

  // MARK: Producing

  /// Pushes events to the tail, as producers do; the length of the list afterwards.
  package func enqueue(_ events: [[UInt8]]) async throws(QueueError) -> Int {
    var command = RedisCommand("RPUSH", keys.ready)
    for event in events { command.append(event) }
    guard !events.isEmpty else { return 0 }
    return Int(try await call(command).integer ?? 0)
  }
}
