import LoopIO
import PushCrypto
import TestSupport
import Testing

/// TLS sessions that a client's next connection resumes.
@Suite struct SessionTicketTests {
  /// A server that gives tickets, and what a client of it needs.
  private final class Stage {
    let loop: Loop
    let folder = TemporaryFolder()
    let echo: EchoServer
    let context: TLSContext

    init(on loop: Loop) throws {
      self.loop = loop
      let authority = try CertificateAuthority()
      write(authority.certificatePEM, to: folder.file("ca.pem"))
      let issued = try authority.makeServer()
      let identity = TLSIdentity(
        certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM)
      let server = try TLSContext.server(
        identity: identity, alpn: ["h2"], asksForClientCertificate: true,
        clientCAFile: folder.file("ca.pem"), givesTickets: true)
      echo = try EchoServer(on: loop, .tcp(host: "127.0.0.1", port: 0), tls: server)
      context = try Self.client(folder)
    }

    static func client(_ folder: TemporaryFolder) throws -> TLSContext {
      try TLSContext.client(caFile: folder.file("ca.pem"), alpn: ["h2"])
    }

    /// Opens a connection that reads, so that tickets come in.
    func open(
      _ tickets: SessionTickets, _ context: TLSContext? = nil, name: String = "localhost"
    ) async throws(StreamError) -> Collector {
      let stream = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: echo.port), tls: context ?? self.context,
        serverName: name, tickets: tickets, on: loop, timeout: .seconds(5))
      return Collector(stream)
    }
  }

  @Test func `a later connection resumes the session, with each ticket once`() async throws {
    try await onLoop { loop in
      let stage = try Stage(on: loop)
      let tickets = SessionTickets(stage.context)
      let first = try await stage.open(tickets)
      #expect(!first.stream.isResumed)
      #expect(await eventually(on: loop) { tickets.count == 2 })
      let second = try await stage.open(tickets)
      #expect(second.stream.isResumed && second.stream.negotiatedProtocol == "h2")
      #expect(tickets.count < 2)
      #expect(
        await eventually(on: loop) { stage.echo.streams.map(\.isResumed) == [false, true] })
      // It carries data as any other does, and the server gives another ticket for the one used.
      second.send([1, 2, 3])
      #expect(await eventually(on: loop) { second.received == [1, 2, 3] && tickets.count == 2 })
      for one in [first, second] { one.stream.close() }
    }
  }

  @Test func `a connection that is cut off spoils no session`() async throws {
    try await onLoop { loop in
      let stage = try Stage(on: loop)
      let tickets = SessionTickets(stage.context)
      let first = try await stage.open(tickets)
      #expect(await eventually(on: loop) { tickets.count == 2 })
      first.stream.close()
      let later = [try await stage.open(tickets), try await stage.open(tickets)]
      #expect(later.allSatisfy { $0.stream.isResumed })
      for one in later { one.stream.close() }
    }
  }

  @Test func `a session serves no other client, and no other name`() async throws {
    try await onLoop { loop in
      let stage = try Stage(on: loop)
      let tickets = SessionTickets(stage.context)
      let first = try await stage.open(tickets)
      #expect(await eventually(on: loop) { tickets.count == 2 })
      // A client with another identity has another context.
      let other = try await stage.open(tickets, Stage.client(stage.folder))
      #expect(!other.stream.isResumed && tickets.count == 2)
      do throws(StreamError) {
        _ = try await stage.open(tickets, name: "other.example")
        Issue.record("a session of localhost was taken for other.example")
      } catch {
        #expect(error.kind == .name)
      }
      for one in [first, other] { one.stream.close() }
    }
  }
}
