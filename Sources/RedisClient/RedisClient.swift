package import LoopIO
package import SharedState

/// A connection to Redis that is made anew whenever it is lost, used only on its loop's thread.
///
/// Connecting is driven by those who ask: one of them tries, after the pause that is due, and the
/// others wait for its result. So nothing runs when nobody asks, and nothing spins. A command is
/// never sent twice by the client: whoever sent it knows whether it may be.
package final class RedisClient {
  package let url: RedisURL
  package let loop: Loop
  package let clock: any PushClock
  /// Within which a reply must come.
  package var timeout = Duration.seconds(5)
  private let tls: TLSContext?
  private let serverName: String?
  private var connection: RedisConnection?
  private var backoff = Backoff()
  private var isConnecting = false
  private var waiting: [CheckedContinuation<RedisError?, Never>] = []
  /// Connections made so far: a change says that replies may have been lost.
  package private(set) var connections = 0

  package init(
    _ url: RedisURL, tls: TLSContext? = nil, serverName: String? = nil, on loop: Loop,
    clock: any PushClock = SystemClock()
  ) {
    self.url = url
    self.tls = tls
    self.serverName = serverName
    self.loop = loop
    self.clock = clock
  }

  package var isConnected: Bool { connection?.isOpen == true }

  /// The connection, or a new one: within a pause (at most 5 s) and one attempt (at most 5 s).
  /// A failed attempt fails all who waited for it.
  package func connected() async throws(RedisError) -> RedisConnection {
    while true {
      if let connection {
        if connection.isOpen { return connection }
        noteLoss(of: connection)
      }
      if !isConnecting { return try await connect() }
      if let error = await withCheckedContinuation({ waiting.append($0) }) {
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
      let made = try await RedisConnection.connect(
        to: url, tls: tls, serverName: serverName, on: loop, timeout: .seconds(5), clock: clock)
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
      return await (try await connected()).call(command, timeout: timeout)
    } catch {
      return .error(error)
    }
  }

  /// Calls a script and waits for its reply.
  package func call(_ script: ScriptCall) async -> RedisReply {
    do {
      let connection = try await connected()
      let pending = connection.start(script, timeout: timeout)
      return await connection.finish(pending, of: script, timeout: timeout)
    } catch {
      return .error(error)
    }
  }

  /// Ends the connection at once; a later call opens another.
  package func close() {
    connection?.close()
  }
}
