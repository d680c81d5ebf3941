import LoopIO

/// One frame of RFC 9113 4.1.
struct Frame: Equatable {
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate, continuation
  }
  var kind: Kind
  var flags: UInt8 = 0
  var stream: UInt32 = 0
  var payload: [UInt8] = []

  static let endStream: UInt8 = 1
  static let ack: UInt8 = 1
  static let endHeaders: UInt8 = 4

  var bytes: [UInt8] {
    let count = UInt32(payload.count)
    return Array(big(count).dropFirst()) + [kind.rawValue, flags] + big(stream) + payload
  }

  /// The error code of RST_STREAM; the last stream id of GOAWAY.
  var number: UInt32 { payload.prefix(4).reduce(0) { $0 << 8 | UInt32($1) } }
}

func big(_ value: UInt32) -> [UInt8] {
  [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
}

/// A server that does what a test says, frame by frame, without an HTTP/2 library: right or wrong.
final class ScriptedServer {
  private(set) var connections: [ScriptedConnection] = []
  private(set) var listener: StreamListener?
  /// A connection came; the default says SETTINGS.
  var onConnection: (ScriptedConnection) -> Void = { $0.settings() }
  /// A request is whole; the default answers 200.
  var onRequest: (ScriptedConnection, UInt32) -> Void = { $0.answer($1) }

  init(on loop: Loop, tls: TLSContext? = nil) throws {
    listener = try StreamListener(
      on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0), tls: tls
    ) { [unowned self] stream in
      let connection = ScriptedConnection(stream, server: self)
      connections.append(connection)
      onConnection(connection)
      connection.begin()
    }
  }

  var endpoint: Endpoint { .tcp(host: "127.0.0.1", port: listener?.port ?? 0) }

  var requests: Int { connections.reduce(0) { $0 + $1.requests.count } }

  deinit {
    listener?.close()
    for connection in connections { connection.close() }
  }
}

final class ScriptedConnection: ByteStreamOwner {
  private let stream: ByteStream
  private unowned let server: ScriptedServer
  private var input: [UInt8] = []
  private var output: [UInt8] = []
  private var sawPreface = false
  private(set) var frames: [Frame] = []
  /// Stream ids whose END_STREAM came, in order.
  private(set) var requests: [UInt32] = []
  private(set) var isClosed = false
  private(set) var openStreams: Set<UInt32> = []
  private(set) var mostOpenStreams = 0
  var answersPings = true
  /// The first frame a server says must be its own SETTINGS.
  var acknowledgesSettings = true
  /// Neither reads nor writes any more, without closing.
  var isSilent = false

  init(_ stream: ByteStream, server: ScriptedServer) {
    self.stream = stream
    self.server = server
  }

  func begin() {
    stream.owner = self
    stream.startReading()
  }

  // MARK: What it says

  func send(_ frame: Frame) { send(frame.bytes) }

  func send(_ bytes: [UInt8]) {
    output += bytes
    stream.setNeedsFill()
  }

  /// SETTINGS with MAX_CONCURRENT_STREAMS (3) and INITIAL_WINDOW_SIZE (4).
  func settings(streams: UInt32? = nil, window: UInt32? = nil) {
    var payload: [UInt8] = []
    if let streams { payload += [0, 3] + big(streams) }
    if let window { payload += [0, 4] + big(window) }
    send(Frame(kind: .settings, payload: payload))
  }

  /// HEADERS with one field, `:status`, by its place in HPACK's static table.
  func answer(_ id: UInt32, status: Int = 200, ends: Bool = true) {
    let index: [Int: UInt8] = [200: 0x88, 400: 0x8c, 404: 0x8d, 500: 0x8e]
    let flags = Frame.endHeaders | (ends ? Frame.endStream : 0)
    send(Frame(kind: .headers, flags: flags, stream: id, payload: [index[status] ?? 0x88]))
    if ends { openStreams.remove(id) }
  }

  /// RST_STREAM; 7 = REFUSED_STREAM, 2 = INTERNAL_ERROR.
  func reset(_ id: UInt32, code: UInt32) {
    send(Frame(kind: .reset, stream: id, payload: big(code)))
    openStreams.remove(id)
  }

  func goAway(last: UInt32, code: UInt32 = 0, debug: String = "") {
    send(Frame(kind: .goAway, payload: big(last) + big(code) + Array(debug.utf8)))
  }

  func close() {
    isClosed = true
    stream.close()
  }

  func closeAfterFlush() {
    isClosed = true
    stream.closeAfterFlush()
  }

  // MARK: What it hears

  func streamRead(_ bytes: Span<UInt8>) {
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
    default: break
    }
    guard frame.kind == .data || frame.kind == .headers, frame.flags & Frame.endStream != 0 else {
      return
    }
    requests.append(frame.stream)
    server.onRequest(self, frame.stream)
  }

  func streamFill(_ filled: inout [UInt8]) {
    if isSilent { return }
    filled += output
    output.removeAll()
  }

  func streamClosed(_ error: StreamError?) { isClosed = true }
}
