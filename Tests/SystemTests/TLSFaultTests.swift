import LoopIO
import PushCrypto
import TestSupport
import Testing

/// BR-19: a handshake that fails, or ALPN that does, is never taken for a success; it is said what
/// failed, asked again at growing pauses, and nothing is lost.
@Suite struct TLSFaultTests {
  enum Fault: String, CaseIterable {
    case otherProtocol, noALPN, plainAnswer, closes, root, name, date

    /// What the log must name.
    var cause: String {
      switch self {
      case .otherProtocol, .noALPN, .plainAnswer, .closes: "alpn"
      case .root: "trust"
      case .name: "name"
      case .date: "expired"
      }
    }

    func context(_ authority: CertificateAuthority) throws -> TLSContext {
      switch self {
      case .otherProtocol:
        try ScriptedStage.server(authority.makeServer(), alpn: ["http/1.1"])
      case .noALPN, .plainAnswer, .closes:
        try ScriptedStage.server(authority.makeServer(), alpn: [])
      case .root: try ScriptedStage.server(CertificateAuthority().makeServer())
      case .name: try ScriptedStage.server(authority.makeServer(names: ["other.example"]))
      case .date: try ScriptedStage.server(authority.makeServer(validity: .expired))
      }
    }
  }

  @Test(arguments: Fault.allCases) func `BR-19 a failed handshake keeps the events`(fault: Fault)
    async throws
  {
    try await onRedisLoop { loop, redis in
      let stage = try await ScriptedStage(on: loop, redis, passesRelay: true) {
        try fault.context($0)
      }
      let bad = stage.server
      bad.onConnection = { connection in
        switch fault {
        case .plainAnswer: connection.send(Array("HTTP/1.1 200 OK\r\n\r\n".utf8))
        case .closes: connection.close()
        default: connection.settings()
        }
      }
      let begin = ContinuousClock.now
      let outage = Outage()
      try await stage.push(0..<20)
      #expect(await eventually(on: loop) { stage.relay.connects.count >= 3 })
      let isNamed = await eventually(on: loop) { stage.logged().contains("\(fault.cause): ") }
      #expect(isNamed, "\(stage.logged())")
      try await outage.last(on: loop)
      #expect(bad.requests == 0)
      #expect(stage.accepted.isEmpty)

      let good = try stage.replaceServer()
      good.onRequest = { [unowned stage] in stage.accept($0, $1) }
      await stage.expectAllAccepted(20)
      #expect(stage.accepted.values.allSatisfy { $0 == 1 })
      let seconds = Int((ContinuousClock.now - begin) / .seconds(1))
      #expect(stage.relay.connects.count <= seconds + 2)
      await stage.stop()
    }
  }
}
