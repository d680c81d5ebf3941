internal import PushWorker
internal import RedisClient

// WAIT: results count as stored only when so many replicas have them, which narrows what a
// fail-over may take back. Redis cannot undo a write that too few replicas have, so that nothing
// is repeated for it; what was settled stays in the ring, and is settled again if it comes back.
extension RedisQueue {
  /// Asks, in the write under way, how many replicas will have what was sent before; nil when it
  /// is not wanted.
  func startWaiting(on connection: RedisConnection) -> PendingReply? {
    guard settings.waitReplicas > 0 else { return nil }
    var command = RedisCommand("WAIT")
    command.append(settings.waitReplicas)
    command.append(settings.waitTimeout.milliseconds)
    // Redis answers when the time is over; a replica less must not look like a dead connection.
    return connection.start(command, timeout: client.timeout + settings.waitTimeout)
  }

  func finish(waiting: PendingReply?) async {
    guard let waiting else { return }
    switch await waiting.value() {
    case .integer(let count):
      if count < settings.waitReplicas { onTooFewReplicas?(Int(count), nil) }
    case .error(let error):
      // The results' own answers tell of a lost connection.
      if !error.mayHaveRun { onTooFewReplicas?(0, error.detail) }
    default: break
    }
  }

  /// Runs a script whose effects replicas are to have.
  func runAndWait(_ call: ScriptCall) async throws(QueueError) -> RedisReply {
    let connection = try await connection()
    roundTrips += 1
    let pending = connection.start(call, timeout: client.timeout)
    let waiting = startWaiting(on: connection)
    let reply = await client.finish(pending, of: call, over: connection)
    await finish(waiting: waiting)
    return try reply.orThrow()
  }
}
