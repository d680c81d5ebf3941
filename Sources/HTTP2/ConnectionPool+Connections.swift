internal import LoopIO
internal import SharedState

extension ConnectionPool {
  /// Every connection is replaced: what is open on them ends there, the next requests go to new
  /// ones (a new provider token, a new certificate).
  package func replaceConnections() {
    for connection in open { connection.retire() }
  }

  /// Ends what waits for a place on a connection, as never sent.
  package func giveBackWaiting(because why: String) {
    let trouble = lastFailure == nil ? RequestTrouble(.noPlace, why) : whyNotConnected
    while let request = waiting.popFirst() { giveBack(request, trouble) }
  }

  /// Ends the pause after failed connects: the next request tries at once.
  package func connectSoon() { growth.endPause() }

  /// Ends waiting requests as never sent, waits for those under way (their deadlines bound it), and
  /// closes every connection.
  package func shutDown() async {
    isShutDown = true
    while let request = waiting.popFirst() {
      giveBack(request, RequestTrouble(.shutDown, "the pool is shut down"))
    }
    for task in connects.values { task.cancel() }
    for connection in open { connection.retire() }
    await withCheckedContinuation { waiter in
      shutDownWaiters.append(waiter)
      tellWhenEmpty()
    }
    paceTimer?.cancel()
    sweepTimer?.cancel()
  }

  /// Closes every connection at once: requests that have left end as unknown, the others as never
  /// sent. Nothing can be sent afterwards.
  package func cutOff() {
    isShutDown = true
    while let request = waiting.popFirst() {
      giveBack(request, RequestTrouble(.shutDown, "the pool is shut down"))
    }
    for task in connects.values { task.cancel() }
    for connection in open + draining { connection.cutOff() }
  }

  private var isEmpty: Bool { open.isEmpty && draining.isEmpty && connects.isEmpty }

  private func tellWhenEmpty() {
    guard isShutDown, isEmpty else { return }
    for waiter in shutDownWaiters { waiter.resume() }
    shutDownWaiters.removeAll()
  }

  // MARK: Opening

  func connect() {
    guard let slot = places.indices.first(where: { places[$0] != nil && connects[$0] == nil })
    else { return }
    let me = LoopBound(self)
    // It ends by itself after `connectTimeout`; `shutDown` cancels it and waits.
    connects[slot] = Task(executorPreference: loop) { await me.value.connect(slot) }
  }

  private func connect(_ slot: Int) async {
    do throws(StreamError) {
      let stream = try await openStream()
      connects[slot] = nil
      if isShutDown { stream.close() } else { try use(stream, slot) }
    } catch {
      connects[slot] = nil
      connectFailed(error)
    }
    tellWhenEmpty()
  }

  private func openStream() async throws(StreamError) -> ByteStream {
    let (target, deadline) = (
      settings.endpoint, ContinuousClock.now.advanced(by: settings.connectTimeout)
    )
    let stream =
      if let proxy = settings.proxy {
        try await proxy.connect(to: target, on: loop, before: deadline)
      } else {
        try await ByteStream.connect(to: target, on: loop, before: deadline)
      }
    if let tls = settings.tls {
      try await stream.startTLS(
        tls, serverName: settings.serverName ?? target.host, tickets: tickets, before: deadline)
    }
    return stream
  }

  private func use(_ stream: ByteStream, _ slot: Int) throws(StreamError) {
    guard settings.tls == nil || stream.negotiatedProtocol == "h2" else {
      stream.close()
      throw StreamError(.alpn, "the server did not agree on h2")
    }
    guard let rate = places[slot] else { return stream.close() }
    places[slot] = nil
    let now = clock.monotonic()
    let connection = ClientConnection(stream, slot: slot, rate: rate, pool: self, at: now)
    open.append(connection)
    if stream.isResumed { resumed += 1 }
    report(.opened)
    connection.begin()
    placesFreed(on: connection)
    look(at: now)
  }

  private func connectFailed(_ error: StreamError) {
    if isShutDown { return }
    lastFailure = error
    let text = "\(error.kind.rawValue): \(error.detail)"
    report(isTLS(error) ? .tlsError(text) : .connectError(text))
    noteFailure(at: clock.monotonic())
  }

  /// A connect failed, or a connection was of no use.
  func noteFailure(at now: Int64) {
    growth.failed(at: now, jitter: Double.random(in: 0..<1))
    look(at: now)
  }

  func connectionAnswered() {
    growth.succeeded()
    lastFailure = nil
  }

  // MARK: Ending

  func received(_ goAway: ClientSession.GoAway) {
    if goAway.code == enhanceYourCalm {
      askedForCalm()
      noteFailure(at: clock.monotonic())
    }
    report(.goAway(code: goAway.code, debug: goAway.debug))
  }

  /// ENHANCE_YOUR_CALM: too many pings is what servers mean by it most of the time.
  func askedForCalm() {
    pings.grow()
    for connection in open { connection.pings(pings) }
  }

  /// It takes no more requests; its place goes to the next connection.
  func connectionDrains(_ connection: ClientConnection) {
    guard let index = open.firstIndex(where: { $0 === connection }) else { return }
    open.remove(at: index)
    draining.append(connection)
    freePlace(of: connection)
    if !isShutDown { look(at: clock.monotonic()) }
  }

  /// It is closed. `wasRetired`: by us, not by the peer.
  func connectionGone(_ connection: ClientConnection, wasRetired: Bool) {
    if let index = open.firstIndex(where: { $0 === connection }) {
      open.remove(at: index)
      freePlace(of: connection)
    }
    draining.removeAll { $0 === connection }
    if wasRetired { report(.retired) }
    if !isShutDown { look(at: clock.monotonic()) }
    tellWhenEmpty()
  }

  private func freePlace(of connection: ClientConnection) {
    var rate = connection.rate
    rate.withdrawAll()
    places[connection.slot] = rate
  }

  private func isTLS(_ error: StreamError) -> Bool {
    switch error.kind {
    case .trust, .name, .expired, .handshake, .alpn: true
    case .resolve, .connect, .timeout, .proxy, .reset, .closed, .cancelled, .setup: false
    }
  }

  /// Why no connection stands, in the words a request is given back with.
  var whyNotConnected: RequestTrouble {
    guard let lastFailure else { return RequestTrouble(.noConnection, "no connection in time") }
    let text = "\(lastFailure.kind.rawValue): \(lastFailure.detail)"
    let kind: RequestTrouble.Kind =
      if lastFailure.kind == .proxy { .proxy } else { isTLS(lastFailure) ? .tls : .noConnection }
    return RequestTrouble(kind, text)
  }
}
