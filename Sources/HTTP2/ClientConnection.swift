internal import LoopIO
internal import SharedState

/// One connection of a pool: the session, its byte stream, and the rules for starting requests.
final class ClientConnection {
  /// The place in the pool whose rate window it uses.
  let slot: Int
  let session: ClientSession
  var slots: StreamSlots
  var rate: ConnectionRate
  /// False until the first answer.
  private(set) var hasAnswered = false
  private(set) var isOver = false
  private var life: Liveness
  private let stream: ByteStream
  private unowned let pool: ConnectionPool
  private var isEnding = false
  private var wasAsked = false
  private let openedAt: Int64
  /// The pool's: to ask what is unowned at each start would count an owner.
  private let requestTimeout: Int64

  /// An unused connection that the peer ends later than this was just idle.
  private static let youth: Int64 = 5_000_000_000

  init(_ stream: ByteStream, slot: Int, rate: ConnectionRate, pool: ConnectionPool, at now: Int64) {
    self.stream = stream
    self.slot = slot
    self.rate = rate
    self.pool = pool
    session = ClientSession(keptHeaders: pool.keptHeaders)
    slots = StreamSlots(
      cap: pool.settings.maxStreams, firstRequestAlone: pool.settings.firstRequestAlone,
      lifetime: pool.settings.requestsPerConnection)
    life = Liveness(pool.pings, at: now)
    openedAt = now
    requestTimeout = pool.requestTimeout
  }

  /// Says the connection preface and begins to read.
  func begin() {
    stream.owner = self
    stream.setNeedsFill()
    stream.startReading()
  }

  // MARK: Starting requests

  func mayStart(at now: Int64) -> Bool { slots.free > 0 && rate.mayStart(at: now) }

  /// When the rate window lets the next one start; never without a free stream.
  var nextStart: Int64 { slots.free > 0 ? rate.nextStart : .max }

  /// False when there is no stream id left: then it is to be retired.
  func start(_ request: PoolRequest, at now: Int64) -> Bool {
    guard session.start(request, deadline: now + requestTimeout) else { return false }
    slots.opened()
    wasAsked = true
    rate.reserve(at: now)
    life.requestStarted(at: now)
    stream.setNeedsFill()
    return true
  }

  /// Starts no more; ends when the last answer is in.
  func retire() {
    guard !slots.isDraining else { return }
    slots.drain()
    session.cancelUnsent(RequestTrouble(.closed, "the connection is being replaced"))
    pool.connectionDrains(self)
    settle()
  }

  /// Closes it at once; what is on it ends as unknown.
  func cutOff() { lose(RequestTrouble(.shutDown, "cut off by a shutdown")) }

  // MARK: Time

  /// Ends requests whose deadline has passed, and asks the peer for life when it is due.
  func sweep(at now: Int64) {
    for stream in session.open.reversed() where now >= stream.deadline {
      session.cancel(stream, RequestTrouble(.timeout, "no answer in time"))
    }
    switch life.check(at: now) {
    case .none: break
    case .ping:
      session.ping()
      stream.setNeedsFill()
    case .dead:
      pool.report(.pingTimeout)
      return lose(RequestTrouble(.closed, "no answer to PING"))
    }
    settle()
  }

  func pings(_ limits: Liveness.Limits) { life.limits = limits }

  /// When `sweep` has something to do, beside deadlines.
  var nextCheck: Int64 { life.nextCheck ?? .max }

  // MARK: What happened

  /// Acts on what nghttp2 found while it read or wrote.
  private func settle() {
    if isOver { return }
    if session.settingsArrived { obeySettings() }
    if let goAway = session.goAway, goAway.isNew { leave(goAway) }
    if slots.isUsedUp && !slots.isDraining { retire() }
    while session.hasEnded { handOn() }
    if isOver { return }
    if slots.isDraining && session.open.isEmpty && !isEnding {
      isEnding = true
      session.sayGoodbye()
    }
    if session.wantsWrite { return stream.setNeedsFill() }
    if session.isOver { lose(RequestTrouble(.closed, "ended after a violation of the protocol")) }
  }

  private func obeySettings() {
    session.settingsArrived = false
    slots.peerAllows(session.peerStreams)
    if slots.used > slots.limit {
      session.cancelUnsent(RequestTrouble(.refused, "the peer allows fewer streams"))
    }
    pool.placesFreed(on: self)
  }

  private func leave(_ goAway: ClientSession.GoAway) {
    session.goAway?.isNew = false
    pool.received(goAway)
    noteFailure()
    retire()
  }

  private func handOn() {
    // Once for all of them: each look at what is unowned counts an owner.
    let pool = pool
    session.takeEnded { stream, outcome in
      account(for: outcome, of: stream)
      if let request = stream.request.take() { pool.ended(request, consume outcome) }
    }
    pool.placesFreed(on: self)
  }

  private func account(for outcome: RequestOutcome, of stream: ClientStream) {
    slots.closed()
    // Its HEADERS never left: its place in the rate window is free again.
    if !stream.wasSent { rate.withdraw() }
    switch outcome {
    case .answered(let response): answered(response.status)
    case .neverSent(let trouble): if trouble.kind == .refused && stream.wasSent { slots.refused() }
    case .unknown(let trouble):
      guard trouble.kind == .reset, stream.code == enhanceYourCalm else { return }
      slots.refused()
      pool.askedForCalm()
    }
  }

  private func answered(_ status: Int) {
    slots.answered(accepted: status == 200)
    if hasAnswered { return }
    hasAnswered = true
    pool.connectionAnswered()
  }

  /// The connection is dead: what was on it ends, and it is closed.
  private func lose(_ trouble: RequestTrouble) {
    if isOver { return }
    isOver = true
    slots.drain()
    stream.close()
    session.connectionLost(trouble)
    handOn()
    if !isEnding { noteFailure() }
    pool.connectionGone(self, wasRetired: isEnding)
  }

  /// The peer ended it before it was of any use: connecting again at once would be the same again.
  private func noteFailure() {
    let now = pool.clock.monotonic()
    if !hasAnswered && (wasAsked || now - openedAt < Self.youth) { pool.noteFailure(at: now) }
  }
}

extension ClientConnection: ByteStreamOwner {
  func streamRead(_ bytes: Span<UInt8>) {
    guard session.receive(bytes) else {
      pool.report(.reset("the peer does not speak HTTP/2"))
      return lose(RequestTrouble(.closed, "the peer does not speak HTTP/2"))
    }
    life.heard(at: pool.clock.monotonic(), openRequests: session.open.count)
    settle()
  }

  func streamFill(_ output: inout [UInt8]) {
    let before = session.headersSent
    guard session.fill(&output) else {
      return lose(RequestTrouble(.closed, "HTTP/2 failed"))
    }
    let started = session.headersSent - before
    if started > 0 { handedOver(started) }
    if isEnding && !session.wantsWrite {
      // Written first, then closed: else this very GOAWAY is lost.
      isOver = true
      stream.closeAfterFlush()
      return pool.connectionGone(self, wasRetired: true)
    }
    settle()
  }

  private func handedOver(_ count: Int) {
    pool.starts += count
    if rate.isLimited { rate.handedOver(count, at: pool.clock.monotonic()) }
  }

  func streamClosed(_ error: StreamError?) {
    if let error {
      pool.report(.reset(error.detail))
    } else {
      pool.report(.closed)
    }
    lose(RequestTrouble(.closed, error?.detail ?? "closed by the peer"))
  }
}
