import LoopIO
import PushCrypto
import TestSupport
import Testing

@testable import RedisClient

/// `rediss://` against a real redis-server with TLS, over TCP.
@Suite struct RedisTLSTests {
  private let folder = TemporaryFolder()

  /// A server on a free port; another process may take that port first, then once more.
  private func start(
    _ authority: CertificateAuthority, names: [String]? = nil, asksClients: String = "no"
  ) async throws -> (RedisServer, Int) {
    let identity = try names.map { try authority.makeServer(names: $0) } ?? authority.makeServer()
    write(Array(identity.certificatePEM), to: folder.file("server.pem"))
    write(Array(identity.keyPEM), to: folder.file("server.key"))
    write(Array(authority.certificatePEM), to: folder.file("ca.pem"))
    let port = try await onLoop { loop in
      let listener = try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0)) {
        $0.close()
      }
      defer { listener.close() }
      return listener.port
    }
    let server = try await RedisServer([
      "--bind", "127.0.0.1", "--tls-port", String(port), "--tls-auth-clients", asksClients,
      "--tls-cert-file", folder.file("server.pem"), "--tls-key-file", folder.file("server.key"),
      "--tls-ca-cert-file", folder.file("ca.pem"), "--requirepass", "p@ss",
    ])
    return (server, port)
  }

  @Test func `a trusted server answers and a strange one does not`() async throws {
    let (server, port) = try await start(try CertificateAuthority())
    let strange = folder.file("strange.pem")
    write(Array(try CertificateAuthority(name: "Another").certificatePEM), to: strange)
    let trusted = folder.file("ca.pem")
    try await onLoop { loop in
      let url = try RedisURL("rediss://:p%40ss@127.0.0.1:\(port)/2")
      let client = RedisClient(url, tls: try TLSContext.client(caFile: trusted), on: loop)
      var large = RedisCommand("SET", "large")
      large.append([UInt8](repeating: 7, count: 300_000))
      #expect(await client.call(large) == .status("OK"))
      let found = await client.call(RedisCommand("GET", "large"))
      #expect(found.bytes?.count == 300_000)
      client.close()

      let wary = RedisClient(url, tls: try TLSContext.client(caFile: strange), on: loop)
      guard case .error(let error) = await wary.call(RedisCommand("PING")) else {
        Issue.record("a server of another authority was trusted")
        return
      }
      #expect(error.code == .unreachable)
      let without = await RedisClient(url, on: loop).call(RedisCommand("PING"))
      #expect(without == .error(RedisError(.badURL, "no TLS settings")))
    }
    await server.stop()
  }

  @Test func `our certificate is shown, and the server's name may be another than its host's`()
    async throws
  {
    let authority = try CertificateAuthority()
    let (server, port) = try await start(
      authority, names: ["redis.internal"], asksClients: "yes")
    let ours = try authority.makeClient(topic: "allim")
    let identity = TLSIdentity(
      certificateChainPEM: Array(ours.certificatePEM), privateKeyPEM: Array(ours.keyPEM))
    let trusted = folder.file("ca.pem")
    try await onLoop { loop in
      let url = try RedisURL("rediss://:p%40ss@127.0.0.1:\(port)")
      func reply(_ identity: TLSIdentity?, _ name: String?) async throws -> RedisReply {
        let tls = try TLSContext.client(caFile: trusted, identity: identity)
        let client = RedisClient(url, tls: tls, serverName: name, on: loop)
        defer { client.close() }
        return await client.call(RedisCommand("PING"))
      }
      #expect(try await reply(identity, "redis.internal") == .status("PONG"))
      for wrong in [
        try await reply(nil, "redis.internal"), try await reply(identity, nil),
        try await reply(identity, "other.internal"),
      ] {
        guard case .error = wrong else {
          Issue.record("it was answered")
          continue
        }
      }
    }
    await server.stop()
  }
}
