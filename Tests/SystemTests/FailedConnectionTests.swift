import Glibc
import LoopIO
import PushCrypto
import TestSupport
import Testing

/// BR-45: connections that fail again and again are told plainly, leave no descriptor behind, and
/// cost no event.
@Suite struct FailedConnectionTests {
  enum Fault: String, CaseIterable {
    /// Accepted and closed.
    case closes
    /// Half of a ServerHello, then the end.
    case handshakeCut
    /// Nothing is ever said.
    case handshakeEndless
    /// Nobody listens.
    case refused
    /// The first words are SETTINGS and GOAWAY.
    case goAway
    /// The token endpoint resets the connection.
    case tokenReset
    case proxyRefuses, proxyCloses, proxyBabbles

    /// What the log must hold.
    var words: String {
      switch self {
      case .closes, .handshakeCut: "the peer closed during the TLS handshake"
      case .handshakeEndless: "no answer in time"
      case .refused: "connection refused"
      case .goAway: "told to go away"
      case .tokenReset: "no access token"
      case .proxyRefuses: "the proxy answered 403"
      case .proxyCloses: "the proxy closed the connection"
      case .proxyBabbles: "the proxy does not speak HTTP/1"
      }
    }

    /// An endless one takes the whole time that a connect may take, and others come at growing pauses.
    var rounds: Int {
      switch self {
      case .handshakeEndless, .tokenReset, .refused, .goAway: 3
      default: 8
      }
    }

    var goesThroughProxy: Bool {
      switch self {
      case .proxyRefuses, .proxyCloses, .proxyBabbles: true
      default: false
      }
    }
  }

  @Test(arguments: Fault.allCases)
  func `BR-45 connections that fail leave nothing behind`(fault: Fault) async throws {
    try await onRedisLoop { loop, redis in
      let queue = try await TestQueue(on: loop, redis.url)
      let simulator = try await RunningSimulator(on: loop)
      let isToken = fault == .tokenReset
      let target = simulator.port(isToken ? "fcmPort" : "apnsPort")
      var door = try Relay(on: loop, to: target)
      let port = door.port
      let guests = Guests(fault)
      let unwilling = try unwillingServer(on: loop, simulator)
      if fault == .goAway {
        door.target = unwilling.listener?.port ?? 0
      } else {
        door.instead = { guests.take($0) }
      }
      if fault == .refused { door.close() }
      let proxy = try ConnectProxy(on: loop)
      proxy.answer = { _ in fault.proxyAnswer }
      var settings =
        isToken
        ? ["ALLIM_ENDPOINTS_OAUTH=https://localhost:\(port)/token"]
        : ["ALLIM_ENDPOINTS_APNS_PRODUCTION=localhost:\(port)"]
      if fault.goesThroughProxy {
        settings = ["ALLIM_PROXY_URL=http://127.0.0.1:\(proxy.port)"]
      }
      let log = simulator.folder.file("worker.log")
      let worker = try RunningWorker(
        on: loop, configuration: simulator.configuration, redis: "unix://\(redis.socket)",
        settings: settings + ["ALLIM_BREAKER_PROBE_MAX=1s", "ALLIM_LOG_LEVEL=warning"], log: log)
      let devices = (0..<20).map { isToken ? Samples.android("t\($0)") : Samples.iphone("7\($0)") }
      let text = #""type":"message","message":{"text":"x"}"#
      try await queue.push(devices.enumerated().map { Samples.event("f\($0)", text, $1) })

      let rounds = {
        let told = fault == .refused ? logged(log).ranges(of: "no connection").count : 0
        return door.connects.count + proxy.requests.count + told
      }
      #expect(await eventually(on: loop) { rounds() >= 2 })
      let descriptors = worker.descriptors()
      #expect(await eventually(within: .seconds(120), on: loop) { rounds() >= fault.rounds })
      #expect(await eventually(on: loop) { worker.descriptors() <= descriptors + 3 })
      #expect(logged(log).contains(fault.words), "\(logged(log).suffix(1_000))")

      if fault == .refused { door = try Relay(on: loop, to: target, at: port) }
      door.instead = nil
      door.target = target
      proxy.answer = { _ in .open }
      await expectAllDelivered(20, queue, simulator, on: loop)
      #expect(await worker.stop() == ExitStatus())
      await simulator.stop()
    }
  }

  private func logged(_ file: String) -> String {
    String(decoding: read(file) ?? [], as: UTF8.self)
  }

  /// Speaks HTTP/2, and wants nobody.
  private func unwillingServer(
    on loop: Loop, _ simulator: RunningSimulator
  ) throws -> ScriptedServer {
    let pem = read(simulator.folder.file("sim/server.pem")) ?? []
    let identity = TLSIdentity(certificateChainPEM: pem, privateKeyPEM: pem)
    let server = try ScriptedServer(
      on: loop, tls: TLSContext.server(identity: identity, alpn: ["h2"]))
    server.onConnection = {
      $0.settings()
      $0.goAway(last: 0)
    }
    return server
  }

  /// Each event's device was told once.
  private func expectAllDelivered(
    _ count: Int, _ queue: TestQueue, _ simulator: RunningSimulator, on loop: Loop
  ) async {
    #expect(await eventually(within: .seconds(120), on: loop) { await queue.isDrained() })
    #expect(await queue.letters().isEmpty)
    var recording = Recording(path: simulator.record)
    recording.refresh()
    let accepted = recording.requests.filter { !$0.target.isEmpty && $0.status == 200 }
    #expect(accepted.count == count && Set(accepted.map(\.target)).count == count)
  }
}

extension FailedConnectionTests.Fault {
  fileprivate var proxyAnswer: ConnectProxy.Answer {
    switch self {
    case .proxyRefuses: .status(403)
    case .proxyCloses: .refusal("")
    case .proxyBabbles: .refusal("220 mail.example ESMTP\r\n\r\n")
    default: .open
    }
  }
}

/// Does with each connection what the fault says.
private final class Guests {
  private let fault: FailedConnectionTests.Fault
  private var guests: [Guest] = []

  init(_ fault: FailedConnectionTests.Fault) { self.fault = fault }

  func take(_ stream: ByteStream) {
    switch fault {
    case .closes: stream.close()
    case .tokenReset:
      var lingers = linger(l_onoff: 1, l_linger: 0)
      unsafe setsockopt(
        stream.descriptor, SOL_SOCKET, SO_LINGER, &lingers, socklen_t(MemoryLayout<linger>.size))
      stream.close()
    default: guests.append(Guest(stream, answers: fault == .handshakeCut))
    }
  }

  private final class Guest: ByteStreamOwner {
    private let stream: ByteStream
    private let answers: Bool

    init(_ stream: ByteStream, answers: Bool) {
      self.stream = stream
      self.answers = answers
      stream.owner = self
      stream.startReading()
    }

    func streamRead(_ bytes: Span<UInt8>) {
      guard answers else { return }
      stream.setNeedsFill()
      stream.closeAfterFlush()
    }

    /// A record of 122 bytes is announced; the beginning of its ServerHello follows.
    func streamFill(_ output: inout [UInt8]) {
      output += [0x16, 3, 3, 0, 122, 2, 0, 0, 118, 3, 3, 1, 2, 3, 4]
    }

    func streamClosed(_ error: StreamError?) {}
  }
}
