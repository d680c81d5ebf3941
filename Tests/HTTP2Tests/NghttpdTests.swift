import HTTP2
import LoopIO
import PushCrypto
import SharedState
import TestSupport
import Testing

/// nghttp2's own server with a certificate that a client context of ours trusts.
final class Nghttpd {
  let folder = TemporaryFolder()
  let child: ChildProcess
  let client: TLSContext
  let port: Int

  init(on loop: Loop, arguments: [String] = []) async throws {
    let authority = try CertificateAuthority()
    let issued = try authority.makeServer()
    let keyFile = folder.file("key.pem")
    let certificateFile = folder.file("cert.pem")
    write(authority.certificatePEM, to: folder.file("ca.pem"))
    write(issued.keyPEM, to: keyFile)
    write(issued.certificatePEM, to: certificateFile)
    write(Array("accepted".utf8), to: folder.file("ok"))
    client = try TLSContext.client(caFile: folder.file("ca.pem"), alpn: ["h2"])
    port = try freePort(on: loop)
    child = try ChildProcess(
      on: loop, "/usr/sbin/nghttpd",
      ["-a", "127.0.0.1", "-d", folder.path] + arguments + [
        String(port), keyFile, certificateFile,
      ],
      output: .discard)
    let isUp = await eventually(on: loop) {
      let stream = try? await ByteStream.connect(
        to: endpoint, on: loop, timeout: .milliseconds(200))
      stream?.close()
      return stream != nil
    }
    #expect(isUp)
  }

  var endpoint: Endpoint { .tcp(host: "127.0.0.1", port: port) }
}

/// A port that was free a moment ago, for servers that cannot pick one and say which.
private func freePort(on loop: Loop) throws -> Int {
  let listener = try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0)) { _ in }
  defer { listener.close() }
  return listener.port
}

@Suite struct NghttpdTests {
  @Test func `requests to a foreign server over TLS are answered with status, body and fields`()
    async throws
  {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: server.client)
      settings.keptHeaders = ["content-type", "server"]
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      let answer = try answered(await pool.send(request("/ok"), body: Array("{}".utf8)))
      #expect(answer.status == 200)
      #expect(answer.body == Array("accepted".utf8))
      #expect(answer.header("server")?.starts(with: "nghttpd".utf8) == true)
      #expect(answer.header("date") == nil)
      let missing = try answered(await pool.send(request("/missing"), body: []))
      #expect(missing.status == 404)
      await pool.shutDown()
      #expect(pool.snapshot.open == 0)
    }
  }

  @Test func `thousands of requests share few connections`() async throws {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: server.client)
      settings.requestsPerSecond = 0
      settings.maxConnections = 2
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      let accepted = await sendMany(200, each: 25, through: pool, on: loop)
      #expect(accepted == 5_000)
      #expect(pool.snapshot.events.opened <= 2)
      #expect(pool.snapshot.starts == 5_000)
      await pool.shutDown()
    }
  }
}
