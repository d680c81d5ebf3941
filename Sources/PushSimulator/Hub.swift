import HTTP2
import LoopIO
import PushCodec

/// What all connections of the simulator share, on its one loop.
final class Hub {
  let options: SimulatorOptions
  let identity: SimulatorIdentity
  /// Set once the FCM port is known, before any request.
  var serviceAccount: ServiceAccount?
  let bundleIDs: [[UInt8]]
  let delays: DelayQueue
  let stalls: StallWatch
  var clock: SimulatorClock
  var rules: RuleBook
  var readyMade = ReadyMadeTokens()
  var log: ReceivedLog
  var accessTokens: AccessTokens
  var totals = Totals()
  var scanner = JSONScanner()
  var random = QuickUUID()
  /// Filled anew for every answer.
  var head = HeaderBlock()

  /// Open connections, and the last ones that ended, by number.
  private(set) var peers: [Int: Peer] = [:]
  private(set) var ended: [ConnectionReport] = []
  private var connectionCount = 0

  struct Totals {
    var requests = 0
    /// Answers by status.
    var statuses = [Int](repeating: 0, count: 600)
    var apns = 0
    var fcm = 0
    var oauth = 0
    /// The most that came in any one second on a connection.
    var largestInAnySecond = 0
    /// Requests over 100 in a second on their connection.
    var overRate = 0
  }

  init(
    options: SimulatorOptions, loop: Loop, identity: SimulatorIdentity, rules: [Rule]
  ) throws(SimulatorError) {
    self.options = options
    self.identity = identity
    self.rules = RuleBook(rules)
    bundleIDs = options.topics.map { Array($0.utf8) }
    clock = SimulatorClock(offset: options.clockOffset)
    log = try ReceivedLog(keep: options.keep, file: options.recordFile)
    accessTokens = AccessTokens(life: options.tokenTTL)
    let clock = clock
    delays = DelayQueue(on: loop) { clock.monotonic() }
    stalls = StallWatch(on: loop) { clock.monotonic() }
  }

  /// Takes over an accepted stream.
  func accept(_ stream: ByteStream, as side: any ProviderSide) {
    connectionCount += 1
    let peer = Peer(stream, number: connectionCount, side: side, hub: self)
    peers[connectionCount] = peer
  }

  func ended(_ peer: Peer) {
    guard peers.removeValue(forKey: peer.number) != nil else { return }
    ended.append(peer.report(isOpen: false))
    if ended.count > 2_000 { ended.removeFirst(1_000) }
  }

  func count(_ provider: ProviderName, status: Int) {
    totals.statuses[status] += 1
    switch provider {
    case .apns: totals.apns += 1
    case .fcm: totals.fcm += 1
    case .oauth: totals.oauth += 1
    }
  }

  /// Forgets what was received and counted; connections stay.
  func clear() {
    log.clear()
    totals = Totals()
    ended = []
    stalls.reset()
    for peer in peers.values { peer.clearCounts() }
  }

  func close() {
    delays.cancel()
    stalls.cancel()
    for peer in peers.values { peer.connection?.close() }
    log.close()
  }
}
