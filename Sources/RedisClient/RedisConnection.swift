package import LoopIO
package import SharedState

/// One connection to Redis, used only on its loop's thread.
///
/// Commands of one turn go out in one write; replies come back in their order. Every reply has a
/// deadline, since the most reported failure of all queues is a call awaited for ever after a
/// reset; when one passes, the connection is at an end and all that is pending ends with it.
package final class RedisConnection {
  private let stream: ByteStream
  private let clock: any PushClock
  private let reader: ReplyReader
  private var output: [UInt8] = []
  private var pending = PendingReplies()
  private var sweep: LoopTimer?
  private var sweepAt = Int64.max
  private var isSecondLook = false
  /// The server at the other end.
  package let endpoint: Endpoint
  /// Told of each answer that says that another node serves, or none (MOVED, CLUSTERDOWN).
  var onRedirect: ((RedisError) -> Void)?
  private var isRetired = false
  /// Why it ended; nil while it is open.
  package private(set) var ended: RedisError?
  /// Whether a command after the login was answered without an error.
  package internal(set) var hasSucceeded = false

  package var isOpen: Bool { ended == nil }

  /// The server's certificate, DER; nil without TLS.
  package var peerCertificate: [UInt8]? { stream.peerCertificate }

  /// Commands whose reply has not come.
  package var pendingReplies: Int { pending.count }

  init(
    _ stream: ByteStream, to endpoint: Endpoint, on loop: Loop, clock: any PushClock
  ) throws(RedisError) {
    guard let reader = ReplyReader() else { throw RedisError(.other, "no memory for a reader") }
    self.stream = stream
    self.endpoint = endpoint
    self.clock = clock
    self.reader = reader
    sweep = LoopTimer(on: loop) { [unowned self] in sweepOverdue() }
    stream.owner = self
    stream.startReading()
  }

  /// Opens a connection to one server, the URL's first endpoint unless another is given;
  /// authenticates and selects the database before anything else may be sent.
  package static func connect(
    to url: RedisURL, at endpoint: Endpoint? = nil, tls: TLSContext? = nil,
    serverName: String? = nil, on loop: Loop, timeout: Duration,
    clock: any PushClock = SystemClock()
  ) async throws(RedisError) -> RedisConnection {
    let connector = ServerConnector(
      url: url, tls: tls, serverName: serverName, loop: loop, clock: clock)
    return try await connector.connect(to: endpoint ?? url.endpoint, within: timeout)
  }

  func logIn(_ url: RedisURL, _ timeout: Duration) async throws(RedisError) {
    var replies: [PendingReply] = []
    if let login = url.login { replies.append(start(login, timeout: timeout)) }
    if url.database != 0 {
      replies.append(start(RedisCommand("SELECT", String(url.database)), timeout: timeout))
    }
    for reply in replies {
      if case .error(let error) = await reply.value() {
        close(error)
        throw error
      }
    }
    hasSucceeded = false
  }

  // MARK: Commands

  /// Sends a command at the end of this turn; its reply is due within `timeout`.
  package func start(_ command: RedisCommand, timeout: Duration) -> PendingReply {
    start(command, after: nil, timeout: timeout)
  }

  /// Sends a call of a script; ask `finish` for the reply.
  package func start(_ call: ScriptCall, timeout: Duration) -> PendingReply {
    start(call.arguments, after: call.script.call, timeout: timeout)
  }

  package func call(_ command: RedisCommand, timeout: Duration) async -> RedisReply {
    await start(command, timeout: timeout).value()
  }

  /// The reply of a script call; sends the script itself when Redis does not know it (any more).
  package func finish(
    _ pending: PendingReply, of call: ScriptCall, timeout: Duration
  ) async -> RedisReply {
    let reply = await pending.value()
    guard case .error(let error) = reply, error.code == .noScript else { return reply }
    return await load(call, timeout: timeout).value()
  }

  /// Sends a call together with the script's text.
  func load(_ call: ScriptCall, timeout: Duration) -> PendingReply {
    start(call.arguments, after: call.script.load, timeout: timeout)
  }

  private func start(
    _ command: RedisCommand, after verb: RedisCommand?, timeout: Duration
  ) -> PendingReply {
    let reply = PendingReply(deadline: clock.monotonic() + timeout.nanoseconds)
    if let ended {
      reply.resolve(.error(ended))
      return reply
    }
    command.write(after: verb, to: &output)
    pending.append(reply)
    armSweep(for: reply.deadline)
    stream.setNeedsFill()
    return reply
  }

  // MARK: Ending

  /// Ends it at once; what is pending ends with an error, and may have run.
  package func close() { close(RedisError(.closed, "closed by us")) }

  /// Ends it once all that was sent is answered: nothing more is to be sent over it.
  func retire() {
    isRetired = true
    if pending.isEmpty { close() }
  }

  private func close(_ error: RedisError) {
    if ended != nil { return }
    ended = error
    stream.close()
    sweep?.cancel()
    sweep = nil
    for reply in pending.removeAll() { reply.resolve(.error(error)) }
  }

  /// One timer for all deadlines, armed for the earliest and then not touched until it fires.
  private func armSweep(for deadline: Int64) {
    guard deadline < sweepAt else { return }
    sweepAt = deadline
    sweep?.arm(afterNanoseconds: deadline - clock.monotonic())
  }

  private func sweepOverdue() {
    sweepAt = .max
    guard let next = pending.nextDeadline else { return }
    if next > clock.monotonic() {
      isSecondLook = false
      return armSweep(for: next)
    }
    // After a stop of the whole process the reply may lie in the socket, not yet read.
    if isSecondLook { return close(RedisError(.timeout, "no reply in time")) }
    isSecondLook = true
    armSweep(for: clock.monotonic() + 20_000_000)
  }
}

extension RedisConnection: ByteStreamOwner {
  package func streamRead(_ bytes: Span<UInt8>) {
    do {
      try reader.read(bytes) { reply in
        accept(reply)
        return isOpen
      }
    } catch {
      close(error)
    }
  }

  private func accept(_ reply: RedisReply) {
    guard let first = pending.popFirst() else {
      return close(RedisError(.notRESP, "a reply that nothing asked for"))
    }
    first.resolve(reply)
    defer { if isRetired && pending.isEmpty { close() } }
    guard case .error(let error) = reply else {
      hasSucceeded = true
      return
    }
    switch error.code {
    case .moved, .clusterDown: onRedirect?(error)
    default: if error.endsConnection { close(error) }
    }
  }

  package func streamFill(_ bytes: inout [UInt8]) {
    bytes.append(contentsOf: output)
    // A rare large command must not hold its memory for ever.
    output.removeAll(keepingCapacity: output.capacity <= 1_048_576)
  }

  package func streamClosed(_ error: StreamError?) {
    close(RedisError(.closed, error?.detail ?? "closed by Redis"))
  }
}

extension RedisURL {
  /// nil = nobody in particular.
  var login: RedisCommand? {
    guard let password else { return nil }
    var command = RedisCommand("AUTH")
    if let user { command.append(user) }
    command.append(password)
    return command
  }
}
