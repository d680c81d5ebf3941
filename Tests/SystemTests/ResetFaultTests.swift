import LoopIO
import TestSupport
import Testing

/// The other side closes, cuts and resets while requests are on their way.
@Suite struct ResetFaultTests {
  @Test func `BR-22 resets, cuts and answers without a status end nothing and hide nothing`()
    async throws
  {
    try await onRedisLoop { loop, redis in
      let stage = try await ScriptedStage(
        on: loop, redis,
        settings: [
          "ALLIM_APPS_CHAT_APNS_CONNECTIONS_MAX=1",
          "ALLIM_APPS_CHAT_APNS_CONNECTIONS_REQUESTS_PER_SECOND=0",
          "ALLIM_RETRY_CONNECTION_BASE=20ms", "ALLIM_RETRY_CONNECTION_MAX=200ms",
          "ALLIM_BREAKER_OPEN_AFTER=1000",
        ])
      let server = stage.server
      let faults = ConnectionFaults(rounds: 100)
      server.onConnection = { $0.settings(streams: 11) }
      server.onRequest = { [unowned stage] in faults.answer($0, $1, stage) }
      try await stage.push(0..<1_500)
      await stage.expectAllAccepted(1_500)
      // All five kinds, each as often as it had to be.
      #expect(faults.done.count == 5 && faults.done.values.allSatisfy { $0 == 100 })
      // What was accepted while its connection was cut may have come twice.
      #expect(stage.accepted.values.allSatisfy { $0 <= 2 })
      for number in faults.answered { #expect(stage.accepted[number] == 1) }
      await stage.stop()
    }
  }
}

/// What a server does to its connections: so many rounds of each kind, one after the other.
private final class ConnectionFaults {
  enum Kind: CaseIterable { case tcpReset, cut, noStatus, resetAfterStatus, resetBefore }
  private let rounds: Int
  private(set) var done: [Kind: Int] = [:]
  /// Events whose stream was reset after its status.
  private(set) var answered: Set<Int> = []
  private var kind = Kind.tcpReset
  /// Streams spoilt in this round, of ten.
  private var spoilt = 0

  init(rounds: Int) { self.rounds = rounds }

  func answer(_ connection: ScriptedConnection, _ id: UInt32, _ stage: ScriptedStage) {
    // The first of a connection is accepted: only then may others follow.
    guard connection.requests.count > 1, done[kind, default: 0] < rounds else {
      return stage.accept(connection, id)
    }
    spoilt += 1
    spoil(connection, id, stage)
    if spoilt == 10 { nextRound(connection) }
  }

  private func spoil(_ connection: ScriptedConnection, _ id: UInt32, _ stage: ScriptedStage) {
    switch kind {
    case .tcpReset, .cut: break
    case .noStatus:
      // `server: x` alone, by HPACK's static table.
      connection.send(
        Frame(
          kind: .headers, flags: Frame.endHeaders | Frame.endStream, stream: id,
          payload: [0x0f, 0x27, 1, 0x78]))
    case .resetAfterStatus:
      answered.insert(stage.number(connection, id))
      stage.accept(connection, id, ends: false)
      connection.reset(id, code: 2)
    case .resetBefore: connection.reset(id, code: 2)
    }
  }

  private func nextRound(_ connection: ScriptedConnection) {
    if kind == .cut { connection.close() }
    if kind == .tcpReset { connection.closeWithReset() }
    done[kind, default: 0] += 1
    spoilt = 0
    kind = Kind.allCases.first { done[$0, default: 0] < rounds } ?? kind
  }
}
