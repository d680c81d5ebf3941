import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

/// The header blocks that we write into nghttp2's frames, read by the peer.
@Suite struct HeaderFrameTests {
  /// The value of `:path` in each request that came, in order; nil for a block that is wrong.
  private func paths(
    _ connection: ScriptedConnection, tableSizes: [Int] = []
  ) -> [String?] {
    let decoder = HeaderDecoder()
    var sizes = tableSizes[...]
    var paths: [String?] = []
    var block: [UInt8] = []
    for frame in connection.frames {
      switch frame.kind {
      case .settings where frame.flags & Frame.ack != 0:
        if let size = sizes.popFirst(), size >= 0 { decoder.allow(size) }
      case .headers, .continuation:
        block += frame.payload
        guard frame.flags & Frame.endHeaders != 0 else { continue }
        let path = decoder.decode(block)?.first { $0.name == Array(":path".utf8) }?.value
        paths.append(path.map { String(decoding: $0, as: UTF8.self) })
        block = []
      default: break
      }
    }
    return paths
  }

  @Test func `the table follows the peer's SETTINGS down to nothing and up again`() async throws {
    try await withPool { loop, server, pool in
      // The first SETTINGS say nothing of it.
      var sizes = [-1]
      var all: [String] = []
      for size in [4_096, 200, 0, 60, 1_000_000] {
        for number in 0..<3 {
          all.append("/\(size)/\(number)")
          let sent = await pool.send(request(all.last ?? ""), body: Array("{}".utf8))
          let answer = try answered(sent)
          #expect(answer.status == 200)
        }
        let connection = server.connections[0]
        sizes.append(size)
        connection.send(Frame(kind: .settings, payload: [0, 1] + big(UInt32(size))))
        let acks = sizes.count
        #expect(
          await eventually(on: loop) {
            connection.frames.count { $0.kind == .settings && $0.flags & Frame.ack != 0 } == acks
          })
      }
      all.append("/last")
      _ = await pool.send(request("/last"), body: [])
      #expect(paths(server.connections[0], tableSizes: sizes) == all)
      #expect(server.connections.count == 1)
    }
  }

  @Test func `fields too long for one frame go on in CONTINUATION`() async throws {
    try await withPool { _, server, pool in
      var long = request("/long")
      long.append(Array("x-long".utf8), Array(repeating: UInt8(ascii: "\\"), count: 40_000))
      for body in ["", "{}"] {
        let answer = try answered(await pool.send(long, body: Array(body.utf8)))
        #expect(answer.status == 200)
      }
      let connection = server.connections[0]
      #expect(paths(connection) == ["/long", "/long"])
      let kinds = connection.frames.map(\.kind).filter { $0 == .headers || $0 == .continuation }
      #expect(
        kinds == [
          .headers, .continuation, .continuation, .headers, .continuation, .continuation,
        ])
      #expect(connection.bodies == [3: Array("{}".utf8)])
    }
  }

  @Test func `fields longer than any server takes are not sent and harm no other request`()
    async throws
  {
    try await withPool { _, server, pool in
      var long = request("/long")
      long.append(Array("x-long".utf8), Array(repeating: UInt8(ascii: "a"), count: 70_000))
      guard case .neverSent(let trouble) = await pool.send(long, body: []) else {
        Issue.record("it was sent")
        return
      }
      #expect(trouble.kind == .refused)
      let short = try answered(await pool.send(request("/short"), body: []))
      #expect(short.status == 200)
      #expect(paths(server.connections[0]) == ["/short"])
      #expect(server.connections.count == 1)
    }
  }
}
