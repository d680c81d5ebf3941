import LoopIO
import TestSupport
import Testing

@testable import HTTP2

@Suite struct ServerGoAwayTests {
  /// Takes every request but stream 1, for which it says GOAWAY.
  private final class Host: ServerConnectionOwner {
    private(set) var connection: ServerConnection?
    private(set) var named: Int32?

    func serve(_ stream: ByteStream) {
      connection = ServerConnection(stream, owner: self, options: .init())
    }

    func requestArrived(_ stream: ServerStream) {
      if stream.id == 1 {
        named = connection?.goAway(last: 0, debugData: [])
      } else {
        connection?.takes(stream)
      }
    }

    func requestWithdrawn(_ stream: ServerStream) {}
    func connectionEnded() { connection = nil }
  }

  /// A client that says given bytes.
  private final class Guest: ByteStreamOwner {
    private var output: [UInt8]

    init(_ stream: ByteStream, says bytes: [UInt8]) {
      output = bytes
      stream.owner = self
      stream.setNeedsFill()
    }

    func streamRead(_ bytes: Span<UInt8>) {}

    func streamFill(_ output: inout [UInt8]) {
      output += self.output
      self.output = []
    }

    func streamClosed(_ error: StreamError?) {}
  }

  @Test func `no GOAWAY disowns a request whose body ended before a lower one's`() async throws {
    try await onLoop { loop in
      let host = Host()
      let listener = try StreamListener(
        on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0), tls: nil
      ) { host.serve($0) }
      defer { listener.close() }
      // POST https://x/ by HPACK's static table, its name for `:authority` and a literal.
      let fields: [UInt8] = [0x83, 0x87, 0x84, 0x41, 1, UInt8(ascii: "x")]
      let frames = [
        Frame(kind: .settings),
        Frame(kind: .headers, flags: Frame.endHeaders, stream: 1, payload: fields),
        Frame(
          kind: .headers, flags: Frame.endHeaders | Frame.endStream, stream: 3, payload: fields),
        Frame(kind: .data, flags: Frame.endStream, stream: 1, payload: [0x7B, 0x7D]),
      ]
      let preface = Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
      let stream = try await ByteStream.connect(
        to: .tcp(host: "127.0.0.1", port: listener.port), on: loop, before: .now + .seconds(10))
      let guest = Guest(stream, says: preface + frames.flatMap(\.bytes))
      #expect(await eventually(on: loop) { host.named != nil })
      #expect(host.named == 3)
      stream.close()
      withExtendedLifetime(guest) {}
    }
  }
}
