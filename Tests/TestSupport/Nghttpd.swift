package import LoopIO
internal import PushCrypto
internal import Testing

/// nghttp2's own server with a certificate that a client context of ours trusts.
package final class Nghttpd {
  package let folder = TemporaryFolder()
  private let child: ChildProcess
  /// Trusts its certificate.
  package let client: TLSContext
  package let port: Int
  /// The authority that signed its certificate.
  package let caFile: String

  /// Serves the files of `folder`; further arguments are nghttpd's.
  package init(on loop: Loop, arguments: [String] = []) async throws {
    let authority = try CertificateAuthority()
    let issued = try authority.makeServer()
    let keyFile = folder.file("key.pem")
    let certificateFile = folder.file("cert.pem")
    caFile = folder.file("ca.pem")
    write(authority.certificatePEM, to: caFile)
    write(issued.keyPEM, to: keyFile)
    write(issued.certificatePEM, to: certificateFile)
    write(Array("accepted".utf8), to: folder.file("ok"))
    client = try TLSContext.client(caFile: caFile, alpn: ["h2"])
    let listener = try listenerOnFreePort(on: loop)
    port = listener.port
    listener.close()
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

  package var endpoint: Endpoint { .tcp(host: "127.0.0.1", port: port) }
}
