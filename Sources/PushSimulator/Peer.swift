import HTTP2
import LoopIO

/// One connection of a client under test.
final class Peer {
  let number: Int
  let side: any ProviderSide
  private(set) var connection: ServerConnection?
  /// The cycle ends with the connection.
  private let hub: Hub
  private var window = RateWindow()
  private var requests = 0
  private var overRate = 0

  init(_ stream: ByteStream, number: Int, side: any ProviderSide, hub: Hub) {
    self.number = number
    self.side = side
    self.hub = hub
    connection = ServerConnection(stream, owner: self, options: side.connectionOptions)
  }

  func report(isOpen: Bool) -> ConnectionReport {
    ConnectionReport(
      number: number, side: side.name, isOpen: isOpen, requests: requests,
      largestInAnySecond: window.largest, overRate: overRate,
      openStreams: connection?.openStreams ?? 0,
      maxConcurrentStreams: connection?.maxConcurrentStreams ?? 0,
      counts: connection?.counts ?? ServerConnection.Counts())
  }

  func clearCounts() {
    window = RateWindow()
    requests = 0
    overRate = 0
  }
}

extension Peer: ServerConnectionOwner {
  func requestArrived(_ stream: ServerStream) {
    guard let connection else { return }
    let inSecond = window.note(at: connection.readAt)
    requests += 1
    hub.totals.requests += 1
    hub.totals.largestInAnySecond = max(hub.totals.largestInAnySecond, inSecond)
    if inSecond > 100 {
      overRate += 1
      hub.totals.overRate += 1
    }
    let provider = side.read(stream)
    if !hub.rules.isEmpty, let rule = hub.rules.match(provider, token: side.target(stream)) {
      return obey(rule, stream, provider, inSecond)
    }
    answer(stream, side.judge(stream, inSecond: inSecond), provider, delay: 0)
  }

  func requestWithdrawn(_ stream: ServerStream) {}

  func connectionEnded() {
    hub.ended(self)
    connection = nil
  }

  // MARK: Rules

  private func obey(
    _ rule: Rule, _ stream: ServerStream, _ provider: ProviderName, _ inSecond: Int
  ) {
    if let settings = rule.settings {
      connection?.change(
        maxConcurrentStreams: settings.maxConcurrentStreams,
        initialWindowSize: settings.initialWindowSize)
    }
    if let action = rule.action {
      switch action {
      case .goaway, .pingSilent: break  // and the request is answered
      default: record(stream, provider, reply: nil, action: action, delay: 0)
      }
      guard perform(action, rule, stream) else { return }
    }
    let respond = rule.respond ?? Rule.Respond()
    let reply =
      respond.status.map { side.reply(to: respond, status: $0) }
      ?? side.judge(stream, inSecond: inSecond)
    answer(stream, reply, provider, delay: respond.delay)
  }

  /// True when the request is still to be answered.
  private func perform(_ action: Rule.Action, _ rule: Rule, _ stream: ServerStream) -> Bool {
    // protocol/apns.md 12: the debug data of a GOAWAY is JSON with a reason.
    let debug = Array("{\"reason\":\"\(rule.respond?.reason ?? "Shutdown")\"}".utf8)
    switch action {
    case .hang: break
    case .reset: connection?.reset(stream, refused: false)
    case .refuse: connection?.reset(stream, refused: true)
    case .goaway:
      connection?.goAway(last: stream.id, debugData: debug)
      return true
    case .goawayBelow:
      let named = connection?.goAway(last: max(0, stream.id - 2), debugData: debug) ?? 0
      if stream.id <= named { connection?.reset(stream, refused: true) }
    case .close: connection?.close()
    case .blackhole: connection?.goSilent()
    case .pingSilent:
      connection?.acknowledgesPings = false
      return true
    }
    return false
  }

  // MARK: Answers

  private func answer(
    _ stream: ServerStream, _ reply: Reply, _ provider: ProviderName, delay: Int64
  ) {
    connection?.takes(stream)
    hub.count(provider, status: reply.status)
    let delay = delay + hub.options.latency
    record(stream, provider, reply: reply, action: nil, delay: delay)
    guard delay > 0 else { return send(stream, reply) }
    let use = stream.use
    hub.delays.after(milliseconds: delay) { [weak self] in
      // The client may have taken the request back meanwhile.
      guard stream.use == use, stream.awaitsAnswer else { return }
      self?.send(stream, reply)
    }
  }

  private func send(_ stream: ServerStream, _ reply: Reply) {
    side.writeHead(of: reply, for: stream)
    connection?.answer(stream, hub.head, body: reply.body)
    if let limit = side.allowance(after: reply.status) {
      connection?.change(maxConcurrentStreams: limit)
    }
  }

  private func record(
    _ stream: ServerStream, _ provider: ProviderName, reply: Reply?, action: Rule.Action?,
    delay: Int64
  ) {
    guard !hub.options.countOnly, let connection else { return }
    let entry = ReceivedRequest(
      number: hub.log.next, time: hub.clock.microseconds(of: connection.readAt),
      provider: provider, side: side.name, connection: number, stream: stream, reply: reply,
      action: action, delay: delay)
    hub.log.append(entry.line(scanner: &hub.scanner))
  }
}
