import SharedState
import TestSupport
import Testing

@testable import LoopIO

/// RFC 8305: one dead address of a host must not cost more than a moment.
@Suite struct ConnectRaceTests {
  private func address(_ host: String, _ port: Int) throws -> SocketAddress {
    try #require(SocketAddress(digits: host, port: port))
  }

  @Test func `families are tried in turn, the resolver's first choice first`() throws {
    let found = try ["::1", "::2", "::3", "10.0.0.1", "10.0.0.2"].map { try address($0, 1) }
    let order = ConnectRace.alternating(found).map(\.text.host)
    #expect(order == ["::1", "10.0.0.1", "::2", "10.0.0.2", "::3"])
    let single = try ["10.0.0.1", "10.0.0.2"].map { try address($0, 1) }
    #expect(ConnectRace.alternating(single).map(\.text.host) == ["10.0.0.1", "10.0.0.2"])
    #expect(ConnectRace.alternating([]).isEmpty)
  }

  @Test func `an address that leads nowhere costs a quarter of a second`() async throws {
    try await onLoop { loop in
      let dead = DeadAddress()
      let server = try EchoServer(on: loop, .tcp(host: "127.0.0.1", port: 0))
      let begin = ContinuousClock.now
      let stream = try await ByteStream.connect(
        toFirstOf: [address(dead.host, dead.port), address("127.0.0.1", server.port)], on: loop,
        before: begin.advanced(by: .seconds(60)))
      // libuv's timers are up to a millisecond early.
      #expect(ContinuousClock.now - begin >= .milliseconds(249))
      #expect(ContinuousClock.now - begin < .seconds(30))
      #expect(stream.peerAddress == "127.0.0.1")
      let collector = Collector(stream)
      collector.send([1, 2, 3])
      #expect(await eventually(on: loop) { collector.received == [1, 2, 3] })
    }
  }

  @Test func `an address that refuses costs nothing`() async throws {
    try await onLoop { loop in
      let server = try EchoServer(on: loop, .tcp(host: "127.0.0.1", port: 0))
      let refusing = try EchoServer(on: loop, .tcp(host: "127.0.0.2", port: 0))
      let port = refusing.port
      refusing.listener?.close()
      let stream = try await ByteStream.connect(
        toFirstOf: [address("127.0.0.2", port), address("127.0.0.1", server.port)], on: loop,
        before: .now.advanced(by: .seconds(60)))
      #expect(stream.peerAddress == "127.0.0.1")
    }
  }

  @Test func `without a living address the deadline ends all of it, or a cancel`() async throws {
    try await onLoop { loop in
      let dead = [DeadAddress(), DeadAddress()]
      let addresses = try dead.map { try address($0.host, $0.port) }
      await #expect { () async throws -> Void in
        _ = try await ByteStream.connect(
          toFirstOf: addresses, on: loop, before: .now.advanced(by: .milliseconds(400)))
      } throws: { ($0 as? StreamError)?.kind == .timeout }
      let connect = Task(executorPreference: loop) {
        try await ByteStream.connect(
          toFirstOf: addresses, on: loop, before: .now.advanced(by: .seconds(60))
        ).close()
      }
      try await loop.sleep(.milliseconds(20))
      connect.cancel()
      await #expect { try await connect.value } throws: {
        ($0 as? StreamError)?.kind == .cancelled
      }
    }
  }

  @Test func `a name that does not exist says so`() async throws {
    _ = try await onLoop { loop in
      await #expect { () async throws -> Void in
        _ = try await ByteStream.connect(
          to: .tcp(host: "name.invalid", port: 1), on: loop, timeout: .seconds(60))
      } throws: { ($0 as? StreamError)?.kind == .resolve }
    }
  }
}
