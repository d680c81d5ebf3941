import HTTP2
import LoopIO
import PushCrypto
import SharedState
import TestSupport
import Testing

/// BR-19: a failed handshake is never a success, and the error names what failed.
@Suite struct TLSPoolTests {
  private struct Trust {
    let folder = TemporaryFolder()
    let authority: CertificateAuthority

    init() throws {
      authority = try CertificateAuthority()
      write(authority.certificatePEM, to: folder.file("ca.pem"))
    }

    func server(
      names: [String] = CertificateAuthority.localNames,
      validity: CertificateAuthority.Validity = .usual, alpn: [String] = ["h2"],
      givesTickets: Bool = false
    ) throws -> TLSContext {
      let issued = try authority.makeServer(names: names, validity: validity)
      let identity = TLSIdentity(
        certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM)
      return try TLSContext.server(identity: identity, alpn: alpn, givesTickets: givesTickets)
    }

    func settings(_ server: ScriptedServer) throws -> PoolSettings {
      let client = try TLSContext.client(caFile: folder.file("ca.pem"), alpn: ["h2"])
      var settings = PoolSettings(endpoint: server.endpoint, tls: client)
      settings.connectTimeout = .seconds(2)
      return settings
    }
  }

  private typealias MakeContext = @Sendable (Trust) throws -> TLSContext

  /// The trouble of one request to such a server.
  private func trouble(_ make: @escaping MakeContext) async throws -> RequestTrouble? {
    try await onLoop { loop in
      let trust = try Trust()
      let server = try ScriptedServer(on: loop, tls: try make(trust))
      let pool = ConnectionPool(try trust.settings(server), on: loop, clock: SystemClock())
      let outcome = await sendOne(pool)
      #expect(server.requests == 0)
      #expect(pool.snapshot.events.tlsError >= 1)
      await pool.shutDown()
      guard case .neverSent(let trouble) = outcome else { return nil }
      return trouble
    }
  }

  @Test func `ALPN, trust, name and date are told apart`() async throws {
    let alpn = try await trouble { try $0.server(alpn: ["http/1.1"]) }
    #expect(alpn?.kind == .tls)
    #expect(alpn?.detail.starts(with: "alpn") == true)
    #expect(try await trouble { try $0.server(alpn: []) }?.detail.starts(with: "alpn") == true)
    let name = try await trouble { try $0.server(names: ["other.example"]) }
    #expect(name?.detail.starts(with: "name") == true)
    let date = try await trouble { try $0.server(validity: .expired) }
    #expect(date?.detail.starts(with: "expired") == true)
    let root = try await trouble { _ in try Trust().server() }
    #expect(root?.detail.starts(with: "trust") == true)
  }

  @Test func `a good server gets the requests over TLS, with a pool of several connections`()
    async throws
  {
    try await onLoop { loop in
      let trust = try Trust()
      let server = try ScriptedServer(on: loop, tls: try trust.server())
      var settings = try trust.settings(server)
      settings.minConnections = 3
      settings.maxConnections = 3
      settings.requestsPerSecond = 0
      settings.maxStreams = 10
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      #expect(await sendMany(30, each: 20, through: pool, on: loop) == 600)
      #expect(server.connections.count == 3)
      #expect(server.connections.allSatisfy { $0.requests.count > 50 })
      await pool.shutDown()
      let saidGoodbye = await eventually(on: loop) {
        server.connections.allSatisfy { $0.frames.contains { $0.kind == .goAway } }
      }
      #expect(saidGoodbye)
    }
  }

  @Test func `a connection after the first resumes the TLS session`() async throws {
    try await onLoop { loop in
      let trust = try Trust()
      let server = try ScriptedServer(on: loop, tls: try trust.server(givesTickets: true))
      let pool = ConnectionPool(try trust.settings(server), on: loop, clock: SystemClock())
      let other = ConnectionPool(try trust.settings(server), on: loop, clock: SystemClock())
      for resumed in 0..<3 {
        #expect(try answered(await sendOne(pool)).status == 200)
        #expect(pool.snapshot.resumed == resumed)
        pool.replaceConnections()
      }
      // Another credential begins a session of its own.
      #expect(try answered(await sendOne(other)).status == 200)
      #expect(other.snapshot.resumed == 0)
      await pool.shutDown()
      await other.shutDown()
    }
  }
}
