import LoopIO
import PushCrypto
import TestSupport
import Testing

/// A server certificate of an authority whose file a client can be told to trust.
private struct Trust {
  let folder = TemporaryFolder()
  let authority: CertificateAuthority
  var caFile: String { folder.file("ca.pem") }

  init() throws {
    authority = try CertificateAuthority()
    write(authority.certificatePEM, to: caFile)
  }

  func server(
    _ names: [String] = CertificateAuthority.localNames,
    validity: CertificateAuthority.Validity = .usual, alpn: [String] = ["h2"],
    asksForClientCertificate: Bool = false
  ) throws -> TLSContext {
    let issued = try authority.makeServer(names: names, validity: validity)
    return try TLSContext.server(
      identity: TLSIdentity(
        certificateChainPEM: issued.certificatePEM, privateKeyPEM: issued.keyPEM),
      alpn: alpn, asksForClientCertificate: asksForClientCertificate, clientCAFile: caFile)
  }
}

/// Connects by TLS to a server of one kind; nil = the handshake succeeded.
private func trouble(
  server: @escaping @Sendable (Trust) throws -> TLSContext, trusted: Bool = true,
  name: String? = nil, alpn: [String] = ["h2"]
) async throws -> StreamError.Kind? {
  try await onLoop { loop in
    let trust = try Trust()
    let echo = try EchoServer(
      on: loop, .tcp(host: "127.0.0.1", port: 0), tls: try server(trust))
    let context = try TLSContext.client(caFile: trusted ? trust.caFile : nil, alpn: alpn)
    do throws(StreamError) {
      let stream = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: echo.port), tls: context, serverName: name, on: loop,
        timeout: .seconds(5))
      stream.close()
      return nil
    } catch {
      return error.kind
    }
  }
}

@Suite struct TLSTests {
  @Test func `a right certificate is accepted, by address and by name`() async throws {
    #expect(try await trouble(server: { try $0.server() }) == nil)
    #expect(try await trouble(server: { try $0.server() }, name: "localhost") == nil)
  }

  @Test func `an unknown root, a wrong name and an expired date are told apart`() async throws {
    #expect(try await trouble(server: { try $0.server() }, trusted: false) == .trust)
    #expect(try await trouble(server: { try $0.server(["other.example"]) }) == .name)
    #expect(try await trouble(server: { try $0.server() }, name: "other.example") == .name)
    #expect(try await trouble(server: { try $0.server(validity: .expired) }) == .expired)
  }

  @Test func `a peer that does not agree on the protocol is refused`() async throws {
    #expect(try await trouble(server: { try $0.server(alpn: []) }) == .alpn)
    #expect(try await trouble(server: { try $0.server(alpn: ["http/1.1"]) }) == .alpn)
  }

  @Test(arguments: [1, 100_000, 6_000_000])
  func `bytes come back unchanged, and ALPN is told`(count: Int) async throws {
    let (ok, agreed) = try await onLoop { loop in
      let trust = try Trust()
      let echo = try EchoServer(
        on: loop, .tcp(host: "127.0.0.1", port: 0), tls: try trust.server())
      let context = try TLSContext.client(caFile: trust.caFile, alpn: ["h2"])
      let stream = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: echo.port), tls: context, on: loop,
        timeout: .seconds(5))
      let collector = Collector(stream)
      let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 13) }
      collector.send(sent)
      let all = await eventually(on: loop) { collector.received.count >= count }
      return (all && collector.received == sent, stream.negotiatedProtocol)
    }
    #expect(ok)
    #expect(agreed == "h2")
  }

  @Test func `a server sees the client's certificate`() async throws {
    let (seen, issued) = try await onLoop { loop in
      let trust = try Trust()
      let echo = try EchoServer(
        on: loop, .tcp(host: "127.0.0.1", port: 0),
        tls: try trust.server(asksForClientCertificate: true))
      let client = try trust.authority.makeClient(topic: "com.example.chat")
      let context = try TLSContext.client(
        caFile: trust.caFile,
        identity: TLSIdentity(
          certificateChainPEM: client.certificatePEM, privateKeyPEM: client.keyPEM),
        alpn: ["h2"])
      let stream = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: echo.port), tls: context, on: loop,
        timeout: .seconds(5))
      let arrived = await eventually(on: loop) { !echo.streams.isEmpty }
      stream.close()
      let lines = String(decoding: client.certificatePEM, as: UTF8.self).split(separator: "\n")
      let shown = arrived ? echo.streams[0].peerCertificate : nil
      return (shown.map { Base64.encode($0) }, lines.dropFirst().dropLast().joined())
    }
    #expect(seen.map { String(decoding: $0, as: UTF8.self) } == issued)
  }
}
