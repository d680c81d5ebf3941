import HTTP2
import LoopIO
import PushCrypto
import TestSupport

/// A server of TLS and HTTP/2 that answers what a test says.
final class StubServer {
  struct Request {
    var fields: [String: String]
    var body: [UInt8]
    /// Counted from 0 in order of their coming.
    var connection: Int

    var path: String { fields[":path"] ?? "" }
    var bearer: String { fields["authorization"] ?? "" }
  }

  struct Reply {
    var status: Int64 = 200
    var fields: [(String, String)] = []
    var body: [UInt8] = []
    /// REFUSED_STREAM instead of an answer.
    static let refused = Reply(0)

    init(_ status: Int64 = 200, _ body: String = "", fields: [(String, String)] = []) {
      self.status = status
      self.body = Array(body.utf8)
      self.fields = fields
    }
  }

  let folder = TemporaryFolder()
  private(set) var listener: StreamListener?
  private(set) var requests: [Request] = []
  private var talks: [Talk] = []
  /// Nil leaves a request without an answer.
  var reply: (Request) -> Reply? = { _ in Reply() }

  var port: Int { listener?.port ?? 0 }
  var caFile: String { folder.file("ca.pem") }

  init(on loop: Loop, alpn: [String] = ["h2"]) throws {
    let authority = try CertificateAuthority()
    write(authority.certificatePEM, to: folder.file("ca.pem"))
    let issued = try authority.makeServer()
    let tls = try TLSContext.server(
      identity: TLSIdentity(
        certificateChainPEM: issued.chainPEM, privateKeyPEM: issued.keyPEM), alpn: alpn)
    listener = try StreamListener(
      on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0), tls: tls
    ) { [unowned self] stream in talks.append(Talk(stream, self, number: talks.count)) }
  }

  var connections: Int { talks.count }

  func close() {
    listener?.close()
    for talk in talks { talk.connection?.close() }
    talks.removeAll()
  }

  private func answer(_ request: Request) -> Reply? {
    requests.append(request)
    return reply(request)
  }

  private final class Talk: ServerConnectionOwner {
    private(set) var connection: ServerConnection?
    private unowned let server: StubServer
    private let number: Int

    init(_ stream: ByteStream, _ server: StubServer, number: Int) {
      self.server = server
      self.number = number
      connection = ServerConnection(stream, owner: self, options: .init())
    }

    func requestArrived(_ stream: ServerStream) {
      var fields: [String: String] = [:]
      for field in stream.fields { fields[stream.string(field.name)] = stream.string(field.value) }
      let request = Request(fields: fields, body: stream.body, connection: number)
      guard let reply = server.answer(request) else { return }
      if reply.status == 0 { return connection?.reset(stream, refused: true) ?? () }
      var head = HeaderBlock()
      head.append(":status", decimal: reply.status)
      for (name, value) in reply.fields { head.append(Array(name.utf8), Array(value.utf8)) }
      connection?.answer(stream, head, body: reply.body)
    }

    func requestWithdrawn(_ stream: ServerStream) {}
    func connectionEnded() {}
  }
}

/// Runs a test with a server on a loop, and closes it afterwards.
func withServer(
  _ body: @escaping @Sendable (Loop, StubServer) async throws -> Void
) async throws {
  try await onLoop { loop in
    let server = try StubServer(on: loop)
    defer { server.close() }
    try await body(loop, server)
  }
}
