import LoopIO
import TestSupport
import Testing

private let loopback = "127.0.0.1"

@Suite struct ByteStreamTests {
  @Test(arguments: [5, 70_000, 8_000_000])
  func `bytes come back unchanged over TCP, however many`(count: Int) async throws {
    let ok = try await onLoop { loop in
      let server = try EchoServer(on: loop, .tcp(host: loopback, port: 0))
      let stream = try await ByteStream.connect(
        to: .tcp(host: loopback, port: server.port), on: loop, timeout: .seconds(5))
      let collector = Collector(stream)
      let sent = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      collector.send(sent)
      return await eventually(on: loop) { collector.received.count >= count }
        && collector.received == sent
    }
    #expect(ok)
  }

  @Test func `bytes come back over a unix socket`() async throws {
    let folder = TemporaryFolder()
    let received = try await onLoop { loop in
      let endpoint = Endpoint.unix(path: folder.file("s"))
      let server = try EchoServer(on: loop, endpoint)
      let stream = try await ByteStream.connect(to: endpoint, on: loop, timeout: .seconds(5))
      let collector = Collector(stream)
      collector.send(Array("hello".utf8))
      _ = await eventually(on: loop) { collector.received.count >= 5 }
      _ = server
      return collector.received
    }
    #expect(received == Array("hello".utf8))
  }

  @Test func `a name is resolved`() async throws {
    try await onLoop { loop in
      let server = try EchoServer(on: loop, .tcp(host: loopback, port: 0))
      let stream = try await ByteStream.connect(
        to: .tcp(host: "localhost", port: server.port), on: loop, timeout: .seconds(5))
      stream.close()
    }
  }

  @Test func `a refused connection says so`() async throws {
    try await onLoop { loop in
      let server = try EchoServer(on: loop, .tcp(host: loopback, port: 0))
      let port = server.port
      server.listener?.close()
      await #expect { () async throws -> Void in
        _ = try await ByteStream.connect(
          to: .tcp(host: loopback, port: port), on: loop, timeout: .seconds(5))
      } throws: { ($0 as? StreamError)?.kind == .connect }
    }
  }

  @Test func `the end of the peer is told once, and a close of our own is not`() async throws {
    try await onLoop { loop in
      let server = try EchoServer(on: loop, .tcp(host: loopback, port: 0))
      let endpoint = Endpoint.tcp(host: loopback, port: server.port)
      let first = Collector(
        try await ByteStream.connect(to: endpoint, on: loop, timeout: .seconds(5)))
      let second = Collector(
        try await ByteStream.connect(to: endpoint, on: loop, timeout: .seconds(5)))
      #expect(await eventually(on: loop) { server.streams.count == 2 })
      second.stream.close()
      for stream in server.streams { stream.close() }
      #expect(await eventually(on: loop) { first.ended != nil })
      #expect(first.ended == .some(nil))
      #expect(second.ended == nil)
    }
  }

  @Test func `what was filled goes out before the stream closes`() async throws {
    let received = try await onLoop { loop in
      var streams: [Collector] = []
      let listener = try StreamListener(on: loop, endpoint: .tcp(host: loopback, port: 0)) {
        streams.append(Collector($0))
      }
      let stream = try await ByteStream.connect(
        to: .tcp(host: loopback, port: listener.port), on: loop, timeout: .seconds(5))
      let sender = Collector(stream)
      sender.send([UInt8](repeating: 7, count: 3_000_000))
      stream.closeAfterFlush()
      _ = await eventually(on: loop) { streams.first?.ended != nil }
      return streams.first?.received.count
    }
    #expect(received == 3_000_000)
  }

  @Test func `a connect that gets no answer ends at its time`() async throws {
    try await onLoop { loop in
      // A listener that never accepts TLS: the handshake stays open.
      let silent = try StreamListener(on: loop, endpoint: .tcp(host: loopback, port: 0)) { _ in }
      let context = try TLSContext.client()
      await #expect { () async throws -> Void in
        _ = try await ByteStream.connect(
          to: .tcp(host: loopback, port: silent.port), tls: context, on: loop,
          timeout: .milliseconds(100))
      } throws: {
        ($0 as? StreamError)?.kind == .timeout || ($0 as? StreamError)?.kind == .handshake
      }
    }
  }
}
