internal import Glibc
package import LoopIO

/// One frame of RFC 9113 4.1.
package struct Frame: Equatable {
  package enum Kind: UInt8 {
    case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
  }
  package var kind: Kind
  package var flags: UInt8 = 0
  package var stream: UInt32 = 0
  package var payload: [UInt8] = []

  package init(kind: Kind, flags: UInt8 = 0, stream: UInt32 = 0, payload: [UInt8] = []) {
    (self.kind, self.flags, self.stream, self.payload) = (kind, flags, stream, payload)
  }

  package static let endStream: UInt8 = 1
  package static let ack: UInt8 = 1
  package static let endHeaders: UInt8 = 4

  package var bytes: [UInt8] {
    let count = UInt32(payload.count)
    return Array(big(count).dropFirst()) + [kind.rawValue, flags] + big(stream) + payload
  }

  /// The error code of RST_STREAM; the last stream id of GOAWAY.
  package var number: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

package func big(_ value: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// A server that does what a test says, frame by frame, without an HTTP/2 library: right or wrong.
package final class ScriptedServer {
  package private(set) var connections: [ScriptedConnection] = []
  package private(set) var listener: StreamListener?
  /// A connection came; the default says SETTINGS.
  package var onConnection: (ScriptedConnection) -> Void = { $0.settings() }
  /// A request is whole; the default answers 200.
  package var onRequest: (ScriptedConnection, UInt32) -> Void = { $0.answer($1) }

  package init(on loop: Loop, tls: TLSContext? = nil) throws {
    listener = try StreamListener(
      on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0), tls: tls
    ) { [unowned self] stream in
      let connection = ScriptedConnection(stream, server: self)
      connections.append(connection)
      onConnection(connection)
      connection.begin()
    }
  }

  package var endpoint: Endpoint { .tcp(host: "127.0.0.1", port: listener?.port ?? 0) }

  package var requests: Int { connections.reduce(0) { $0 + $1.requests.count } }

  deinit {
    listener?.close()
    for connection in connections { connection.close() }
  }
}

package final class ScriptedConnection: ByteStreamOwner {
  private let stream: ByteStream
  private unowned let server: ScriptedServer
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var sawPreface = false
  package private(set) var frames: [Frame] = []
  /// Stream ids whose END_STREAM came, in order.
  package private(set) var requests: [UInt32] = []
  /// What came in DATA for each stream.
  package private(set) var bodies: [UInt32: [UInt8]] = [:]
  /// Bytes of DATA whose window was not given back.
  private var received = 0
  package private(set) var isClosed = false
  package private(set) var openStreams: Set<UInt32> = []
  package private(set) var mostOpenStreams = 0
  package var answersPings = true
  /// The first frame a server says must be its own SETTINGS.
  package var acknowledgesSettings = true
  /// Neither reads nor writes any more, without closing.
  package var isSilent = false

  package init(_ stream: ByteStream, server: ScriptedServer) {
    self.stream = stream
    self.server = server
  }

  /// As DER.
  package var peerCertificate: [UInt8]? { stream.peerCertificate }

  package func begin() {
    stream.owner = self
    stream.startReading()
  }

  // MARK: What it says

  package func send(_ frame: Frame) { send(frame.bytes) }

  package func send(_ bytes: [UInt8]) {
    output += bytes
    stream.setNeedsFill()
  }

  /// SETTINGS with MAX_CONCURRENT_STREAMS (3) and INITIAL_WINDOW_SIZE (4).
  package func settings(streams: UInt32? = nil, window: UInt32? = nil) {
    var payload: [UInt8] = []
    if let streams { payload += [0, 3] + big(streams) }
    if let window { payload += [0, 4] + big(window) }
    send(Frame(kind: .settings, payload: payload))
  }

  /// HEADERS with one field, `:status`, by its place in HPACK's static table.
  package func answer(_ id: UInt32, status: Int = 200, body: String = "", ends: Bool = true) {
    let index: [Int: UInt8] = [200: 0x88, 400: 0x8c, 404: 0x8d, 500: 0x8e]
    let flags = Frame.endHeaders | (ends && body.isEmpty ? Frame.endStream : 0)
    send(Frame(kind: .headers, flags: flags, stream: id, payload: [index[status] ?? 0x88]))
    if !body.isEmpty {
      let flags = ends ? Frame.endStream : 0
      send(Frame(kind: .data, flags: flags, stream: id, payload: Array(body.utf8)))
    }
    if ends { openStreams.remove(id) }
  }

  /// RST_STREAM; 7 = REFUSED_STREAM, 2 = INTERNAL_ERROR.
  package func reset(_ id: UInt32, code: UInt32) {
    send(Frame(kind: .reset, stream: id, payload: big(code)))
    openStreams.remove(id)
  }

  package func goAway(last: UInt32, code: UInt32 = 0, debug: String = "") {
    send(Frame(kind: .goAway, payload: big(last) + big(code) + Array(debug.utf8)))
  }

  package func close() {
    isClosed = true
    stream.close()
  }

  /// TCP RST: what was not read or written is lost.
  package func closeWithReset() {
    var lingers = linger(l_onoff: 1, l_linger: 0)
    unsafe setsockopt(
      stream.descriptor, SOL_SOCKET, SO_LINGER, &lingers, socklen_t(MemoryLayout<linger>.size))
    close()
  }

  package func closeAfterFlush() {
    isClosed = true
    stream.closeAfterFlush()
  }

  // MARK: What it hears

  package func streamRead(_ bytes: Span<UInt8>) {
    if isSilent { return }
    for index in bytes.indices { input.append(bytes[index]) }
    if !sawPreface {
      guard input.count >= 24 else { return }
      sawPreface = true
      input.removeFirst(24)
    }
    while let frame = nextFrame() { heard(frame) }
  }

  private func nextFrame() -> Frame? {
    guard input.count >= 9 else { return nil }
    let count = Int(input[0]) << 16 | Int(input[1]) << 8 | Int(input[2])
    guard input.count >= 9 + count, let kind = Frame.Kind(rawValue: input[3]) else { return nil }
    let stream = input[5..<9].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let frame = Frame(
      kind: kind, flags: input[4], stream: stream, payload: Array(input[9..<9 + count]))
    input.removeFirst(9 + count)
    return frame
  }

  private func heard(_ frame: Frame) {
    frames.append(frame)
    switch frame.kind {
    case .settings where frame.flags & Frame.ack == 0 && acknowledgesSettings:
      send(Frame(kind: .settings, flags: Frame.ack))
    case .ping where frame.flags & Frame.ack == 0 && answersPings:
      send(Frame(kind: .ping, flags: Frame.ack, payload: frame.payload))
    case .headers:
      openStreams.insert(frame.stream)
      mostOpenStreams = max(mostOpenStreams, openStreams.count)
    case .reset: openStreams.remove(frame.stream)
    case .data:
      bodies[frame.stream, default: []] += frame.payload
      giveBackWindow(frame.payload.count)
    default: break
    }
    guard frame.kind == .data || frame.kind == .headers, frame.flags & Frame.endStream != 0 else {
      return
    }
    requests.append(frame.stream)
    server.onRequest(self, frame.stream)
  }

  /// The connection's window is 65,535 bytes, whatever SETTINGS say: used up, no request is whole.
  private func giveBackWindow(_ count: Int) {
    received += count
    if received < 32_768 { return }
    send(Frame(kind: .windowUpdate, payload: big(UInt32(received))))
    received = 0
  }

  package func streamFill(_ filled: inout [UInt8]) {
    if isSilent { return }
    filled += output
    output.removeAll()
  }

  package func streamClosed(_ error: StreamError?) { isClosed = true }
}
