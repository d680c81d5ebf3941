package import LoopIO
package import SharedState

/// A connection to Redis that is made anew whenever it is lost, used only on its loop's thread.
///
/// Behind sentinels it is one to the present master; in a cluster, one to the node that owns the
/// slot of one key, and where a node says that another one serves, it follows.
///
/// Connecting is driven by those who ask: one of them tries, after the pause that is due, and the
/// others wait for its result. So nothing runs when nobody asks, and nothing spins. A command is
/// never sent twice by the client, save one that was not run: whoever sent it knows whether it may
/// be.
package final class RedisClient {
  package let url: RedisURL
  package let loop: Loop
  package let clock: any PushClock
  /// Within which a reply must come.
  package var timeout = Duration.seconds(5)
  private let finder: any ServerFinder
  let cluster: ClusterFinder?
  private var connection: RedisConnection?
  private var backoff = Backoff()
  private var isConnecting = false
  private var waiting: [CheckedContinuation<RedisError?, Never>] = []
  /// Connections made so far: a change says that replies may have been lost.
  package private(set) var connections = 0

  /// `key` says whose node is meant in a cluster, and nothing elsewhere.
  package init(
    _ url: RedisURL, tls: TLSContext? = nil, serverName: String? = nil, key: String = "",
    on loop: Loop, clock: any PushClock = SystemClock()
  ) {
    self.url = url
    self.loop = loop
    self.clock = clock
    let connector = ServerConnector(
      url: url, tls: tls, serverName: serverName, loop: loop, clock: clock)
    switch url.kind {
    case .single:
      finder = SingleServer(connector)
      cluster = nil
    case .sentinel(let master):
      finder = SentinelFinder(connector, master: master)
      cluster = nil
    case .cluster:
      let cluster = ClusterFinder(connector, slot: KeySlot.slot(of: key))
      finder = cluster
      self.cluster = cluster
    }
  }

  package var isConnected: Bool { connection?.isOpen == true }

  /// The connection, or a new one: within a pause (at most 5 s) and one attempt (at most 5 s, and
  /// 2 s more for each sentinel or node that is asked in vain).
  /// A failed attempt fails all who waited for it.
  package func connected() async throws(RedisError) -> RedisConnection {
    while true {
      if let connection {
        finder.glance(at: connection)
        if connection.isOpen { return connection }
        noteLoss(of: connection)
      }
      if !isConnecting { return try await connect() }
      let ended = await withCheckedContinuation {
        (continuation: CheckedContinuation<RedisError?, Never>) in
        // It may have ended on the way here.
        if !isConnecting { return continuation.resume(returning: nil) }
        waiting.append(continuation)
      }
      if let error = ended {
        // The one that tried was cancelled, which is not our affair.
        if error.code == .cancelled && !Task.isCancelled { continue }
        throw error
      }
    }
  }

  private func noteLoss(of lost: RedisConnection) {
    if lost.hasSucceeded { backoff.succeeded() }
    backoff.failed(now: clock.monotonic(), random: .random(in: 0..<1))
    connection = nil
  }

  private func connect() async throws(RedisError) -> RedisConnection {
    isConnecting = true
    do {
      try await pause()
      let made = try await finder.connect()
      made.onRedirect = { [weak self, unowned made] error in self?.redirected(by: error, made) }
      connection = made
      connections += 1
      endAttempt(nil)
      return made
    } catch {
      if error.code != .cancelled {
        backoff.failed(now: clock.monotonic(), random: .random(in: 0..<1))
      }
      endAttempt(error)
      throw error
    }
  }

  private func redirected(by error: RedisError, _ from: RedisConnection) {
    guard from === connection, finder.redirected(by: error, from: from) else { return }
    connection = nil
    from.retire()
  }

  private func pause() async throws(RedisError) {
    let now = clock.monotonic()
    guard backoff.notBefore > now else { return }
    do {
      try await loop.sleep(.nanoseconds(backoff.notBefore - now))
    } catch {
      throw RedisError(.cancelled, "cancelled")
    }
  }

  private func endAttempt(_ error: RedisError?) {
    isConnecting = false
    let waiting = waiting
    self.waiting = []
    for one in waiting { one.resume(returning: error) }
  }

  /// Sends one command and waits for its reply; the way to Redis failing is an error value too.
  package func call(_ command: RedisCommand) async -> RedisReply {
    do {
      let connection = try await connected()
      let reply = await connection.call(command, timeout: timeout)
      return await followed(reply, to: .command(command), from: connection)
    } catch {
      return .error(error)
    }
  }

  /// Calls a script and waits for its reply.
  package func call(_ script: ScriptCall) async -> RedisReply {
    do {
      let connection = try await connected()
      let pending = connection.start(script, timeout: timeout)
      return await finish(pending, of: script, over: connection)
    } catch {
      return .error(error)
    }
  }

  /// The reply of a script call that was started on one of this client's connections.
  package func finish(
    _ pending: PendingReply, of call: ScriptCall, over connection: RedisConnection
  ) async -> RedisReply {
    let reply = await connection.finish(pending, of: call, timeout: timeout)
    let last = await followed(reply, to: .script(call), from: connection)
    if case .error(let error) = last { return .error(error.quoting(call.script)) }
    return last
  }

  /// Ends the connection at once; a later call opens another.
  package func close() {
    finder.close()
    connection?.close()
  }
}
