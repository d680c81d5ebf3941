package import LoopIO
package import SharedState

/// The connections to one host with one credential, used only on its loop's thread.
///
/// A request goes to a connection with a free stream and a free place in its rate window; else it
/// waits, by precedence and then first come first served, for the longest `requestTimeout` (`connectTimeout` while no
/// connection stands), and then ends as `neverSent`. What the peer did not process (refused
/// streams, above a GOAWAY) is sent again by the pool itself, at most three times. How many wait is
/// bounded by the lanes that call: the pool refuses nobody.
@safe package final class ConnectionPool {
  let settings: PoolSettings
  package let loop: Loop
  let clock: any PushClock
  let keptHeaders: [[UInt8]]
  let requestTimeout: Int64
  /// Sessions that new connections resume; of this server and credential alone.
  let tickets: SessionTickets?
  /// They grow when a peer asks for calm.
  var pings: Liveness.Limits
  /// Called on the loop at each event; it must not call the pool.
  package var onEvent: ((ConnectionEvent) -> Void)?
  /// Told how long a request waited for its place, in nanoseconds; it must not call the pool.
  package var onWaited: ((Int64) -> Void)?
  /// Called on the loop when there is `room` again, after there was none perhaps.
  package var onRoom: (() -> Void)?

  /// Take requests.
  var open: [ClientConnection] = []
  /// Wait for their last answers.
  var draining: [ClientConnection] = []
  /// The rate limit of each place; nil while a connection or a connect has it.
  var places: [ConnectionRate?]
  var connects: [Int: Task<Void, Never>] = [:]
  var waiting = WaitingRequests()
  /// Requests that have ended and are to hear of it.
  private var ended: [PoolRequest?] = []
  /// Those that are hearing of it.
  private var told: [PoolRequest?] = []
  var growth: GrowthPlan
  var retirement: RetirementWatch
  var use = RetirementWatch.Use()
  var intervalStart: Int64
  var lastRequest = Int64.min / 2
  var starts = 0
  var resumed = 0
  var events = ConnectionEventCounts()
  var lastFailure: StreamError?
  var isShutDown = false
  var shutDownWaiters: [CheckedContinuation<Void, Never>] = []
  private(set) var paceTimer: LoopTimer?
  private(set) var sweepTimer: LoopTimer?
  /// When the pace timer fires; `.max` = it is not set.
  private var nextLook = Int64.max
  /// When the sweep timer fires; `.max` = it is not set.
  var sweepAt = Int64.max
  /// The connection to be asked first.
  private var turn = 0

  /// Opens nothing yet: the first request does.
  package init(_ settings: PoolSettings, on loop: Loop, clock: any PushClock) {
    loop.assertOwnThread()
    self.settings = settings
    self.loop = loop
    self.clock = clock
    keptHeaders = settings.keptHeaders.map { Array($0.utf8) }
    requestTimeout = settings.requestTimeout.nanoseconds
    tickets = settings.tls.map(SessionTickets.init)
    pings = Liveness.Limits(
      idle: settings.pingIdle?.nanoseconds, silence: settings.pingSilence.nanoseconds,
      answer: settings.pingTimeout.nanoseconds)
    let most = max(1, settings.maxConnections)
    let rate = settings.requestsPerSecond
    places = (0..<most).map { ConnectionRate(limit: rate, place: $0) }
    growth = GrowthPlan(least: settings.minConnections, most: most)
    retirement = RetirementWatch(
      least: settings.minConnections, rate: rate, streams: min(settings.maxStreams, 100))
    intervalStart = clock.monotonic()
    paceTimer = LoopTimer(on: loop) { [unowned self] in pace() }
    sweepTimer = LoopTimer(on: loop) { [unowned self] in sweep() }
  }

  // MARK: Requests

  /// Sends one request and tells it what became of it, never later than the two timeouts
  /// together (times the resends). Nothing cuts it short: a push that has left must be accounted
  /// for. It is filled when it has its place: of what waits nothing is built that the processor's
  /// caches forget again, or that is over by then.
  package func send(_ request: consuming PoolRequest) {
    let now = clock.monotonic()
    request.since = now
    request.resends = 0
    if isShutDown { return giveBack(request, RequestTrouble(.shutDown, "the pool is shut down")) }
    lastRequest = now
    if waiting.isEmpty, let place = nextFree(at: now) {
      guard request.fill(at: now) else { return }
      if start(request, on: place, at: now) { return armSweep(at: now) }
    }
    waiting.append(request)
    use.hadWaiting = true
    // Later ones wait for the same look.
    if waiting.count == 1 || paceTimer?.isArmed != true { look(at: now) }
  }

  /// The outcome of a request; what the peer did not process goes again.
  func ended(_ request: consuming PoolRequest, _ outcome: consuming RequestOutcome) {
    if case .neverSent = outcome, !isShutDown, request.resends < PoolRequest.mostResends {
      request.resends += 1
      request.since = clock.monotonic()
      waiting.prepend(request)
      return look(at: request.since)
    }
    end(request, outcome)
  }

  func giveBack(_ request: PoolRequest, _ trouble: RequestTrouble) {
    end(request, .neverSent(trouble))
  }

  /// They are told together when what is under way has returned, since they may call the pool.
  private func end(_ request: consuming PoolRequest, _ outcome: consuming RequestOutcome) {
    request.end(outcome)
    ended.append(request)
    if ended.count > 1 { return }
    let me = LoopBound(self)
    loop.execute { me.value.tellEnded() }
  }

  private func tellEnded() {
    swap(&ended, &told)
    for index in told.indices { told[index].take()?.ended() }
    told.removeAll(keepingCapacity: true)
  }

  // MARK: Room

  /// Requests that it is worth sending now: more would only wait here, where they cost memory that
  /// the processor's caches forget, and where no list can overtake another.
  package var room: Int { depth == .max ? .max : max(0, depth - waiting.count) }

  /// Requests that may wait for their places: what starts until it is told that there is room. While
  /// more connections may be opened it is what waits long enough to show that they are needed.
  package var depth: Int {
    if settings.requestsPerSecond == 0 { return .max }
    let milliseconds = open.count < places.count ? 30 : 7
    return max(16, settings.requestsPerSecond * open.count * milliseconds / 1_000)
  }

  private func tellRoom() {
    guard onRoom != nil, room > 0 else { return }
    let me = LoopBound(self)
    loop.execute { me.value.onRoom?() }
  }

  // MARK: Places

  /// A connection may have places again.
  func placesFreed(on connection: ClientConnection) {
    guard !waiting.isEmpty else { return }
    let now = clock.monotonic()
    let before = waiting.count
    while !waiting.isEmpty, connection.mayStart(at: now) { startFirst(on: connection, at: now) }
    if waiting.count < before { tellRoom() }
    // With a hundred connections an answer in ten thousand changes the time of the next look.
    if !waiting.isEmpty, max(connection.nextStart, now + Self.paceStep) < nextLook { look(at: now) }
  }

  private func startFirst(on connection: ClientConnection, at now: Int64) {
    guard let request = waiting.popFirst(), request.fill(at: now) else { return }
    guard connection.start(request, at: now) else {
      waiting.prepend(request)
      return connection.retire()
    }
    armSweep(at: now)
    onWaited?(now - request.since)
  }

  /// False when the connection has no stream id left.
  private func start(_ request: PoolRequest, on place: Int, at now: Int64) -> Bool {
    // No owner is counted, since nothing in `start` lets a connection go.
    let connection = unsafe Unmanaged.passUnretained(open[place])
    if unsafe connection._withUnsafeGuaranteedRef({ $0.start(request, at: now) }) { return true }
    open[place].retire()
    return false
  }

  /// With a rate limit in turn, so that no connection bunches. Without one the last that was used,
  /// as long as it has a free stream: its memory is warm, and more requests share a record and a
  /// write (9 % of a push with eight connections).
  /// - Returns: its place in `open`.
  private func nextFree(at now: Int64) -> Int? {
    if settings.requestsPerSecond == 0, turn < open.count, open[turn].mayStart(at: now) {
      return turn
    }
    for _ in 0..<open.count {
      turn = turn + 1 < open.count ? turn + 1 : 0
      if open[turn].mayStart(at: now) { return turn }
    }
    return nil
  }

  /// The shortest time between two looks at rate windows, in nanoseconds: what they allow meanwhile
  /// goes out together, so that the loop wakes half as often (a seventh of the kernel's part of a
  /// push at 100 a second on each of 100 connections). A third of the gap between two starts of one
  /// connection at the full rate, whose grid stays, so that nothing of the rate is lost.
  private static let paceStep: Int64 = 5_000_000

  /// The pace timer: it may be early, so every rate window looks at the clock again.
  private func pace() {
    let (now, before) = (clock.monotonic(), waiting.count)
    nextLook = .max
    while !waiting.isEmpty, let place = nextFree(at: now) {
      startFirst(on: open[place], at: now)
    }
    if waiting.count < before { tellRoom() }
    // Building many requests has taken its time.
    look(at: clock.monotonic())
  }

  /// Opens connections when it is time, and sets the timer for the next look.
  func look(at now: Int64) {
    if isShutDown { return }
    for _ in 0..<growth.connectionsToOpen(at: now, view(at: now)) { connect() }
    armSweep(at: now)
    var next = growth.nextLook(view(at: now)) ?? .max
    if !waiting.isEmpty { for connection in open { next = min(next, connection.nextStart) } }
    nextLook = next < .max ? max(next, now + Self.paceStep) : .max
    guard next < .max else { return paceTimer?.cancel() ?? () }
    paceTimer?.arm(afterNanoseconds: nextLook - now)
  }

  private func view(at now: Int64) -> GrowthPlan.View {
    GrowthPlan.View(
      open: open.count, connecting: connects.count, waiting: waiting.count,
      waitingSince: waiting.oldest,
      isActive: now - lastRequest < RetirementWatch.interval)
  }

  // MARK: Events

  func report(_ event: ConnectionEvent) {
    events.count(event)
    onEvent?(event)
  }

  // MARK: Facts

  package var snapshot: PoolSnapshot {
    var all = PoolSnapshot()
    all.open = open.count
    all.connecting = connects.count
    all.draining = draining.count
    all.streamsInUse = streamsInUse
    all.waiting = waiting.count
    all.events = events
    all.starts = starts
    all.resumed = resumed
    all.failures = growth.failures
    all.lastFailure = lastFailure.map { "\($0.kind.rawValue): \($0.detail)" } ?? ""
    for connection in open + draining {
      all.largestStartsInAnySecond = max(
        all.largestStartsInAnySecond, connection.rate.largestInAnySecond)
    }
    for case .some(let rate) in places {
      all.largestStartsInAnySecond = max(all.largestStartsInAnySecond, rate.largestInAnySecond)
    }
    return all
  }

  var streamsInUse: Int {
    open.reduce(0) { $0 + $1.slots.used } + draining.reduce(0) { $0 + $1.slots.used }
  }
}
