internal import CLibuv

extension ByteStream {
  /// Opens a stream; with `tls` it is open when the handshake is done (a refusal of our client
  /// certificate may still arrive later, with TLS 1.3). `serverName` is what the certificate must
  /// name; nil = the endpoint's host. `timeout` bounds all of it.
  package static func connect(
    to endpoint: Endpoint, tls: TLSContext? = nil, serverName: String? = nil,
    tickets: SessionTickets? = nil, on loop: Loop, timeout: Duration
  ) async throws(StreamError) -> ByteStream {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    let stream = try await connect(to: endpoint, on: loop, before: deadline)
    if let tls {
      try await stream.startTLS(
        tls, serverName: serverName ?? endpoint.host, tickets: tickets, before: deadline)
    }
    return stream
  }

  /// The same without TLS, which `startTLS` may add later.
  package static func connect(
    to endpoint: Endpoint, on loop: Loop, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) -> ByteStream {
    switch endpoint {
    case .unix(let path):
      let stream = ByteStream(on: loop, tcp: false)
      try await stream.open(before: deadline) { stream.startConnect(toPath: path) }
      stream.peerAddress = path
      return stream
    case .tcp(let host, let port):
      return try await connect(
        toFirstOf: Lookup.addresses(of: host, port: port, on: loop, before: deadline), on: loop,
        before: deadline)
    }
  }

  static func connect(
    toFirstOf addresses: [SocketAddress], on loop: Loop, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) -> ByteStream {
    let race = ConnectRace(on: loop, to: addresses)
    try await race.open(before: deadline) { race.startNext() }
    guard let stream = race.winner else { throw StreamError(.connect, "no connection") }
    return stream
  }

  /// Makes an open stream, which nobody reads, one with TLS. With `tickets` it begins with one of
  /// them, and leaves those that the server gives there.
  package func startTLS(
    _ context: TLSContext, serverName: String, tickets: SessionTickets? = nil,
    before deadline: ContinuousClock.Instant
  ) async throws(StreamError) {
    tls = try TLSSession(context, serverName: serverName, tickets: tickets)
    try await open(before: deadline) {
      self.readFromSocket()
      self.stepHandshake()
    }
  }

  /// Ends the step under way: nil = it succeeded.
  private func opened(_ error: StreamError?) {
    if let error { return end(error) }
    if let handshakeWatch {
      owner = nil
      return handshakeWatch.finish(true)
    }
    tellOpened(nil)
  }

  func startConnect(to address: SocketAddress) {
    guard let tcp = unsafe handle?.tcp else { return }
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    unsafe cuv_set_request_data(request, Unmanaged.passRetained(self).toOpaque())
    let code = unsafe address.withPointer {
      unsafe uv_tcp_connect(request, tcp, $0, Self.connected)
    }
    if code != 0 { unsafe Self.connected(request, code) }
  }

  private func startConnect(toPath path: String) {
    guard let pipe = unsafe handle?.pipe else { return }
    if path.utf8.count > 107 { return end(StreamError(.connect, "the path is too long: \(path)")) }
    let request = UnsafeMutablePointer<uv_connect_t>.allocate(capacity: 1)
    unsafe cuv_set_request_data(request, Unmanaged.passRetained(self).toOpaque())
    unsafe uv_pipe_connect(request, pipe, path, Self.connected)
  }

  private static let connected:
    @convention(c) (UnsafeMutablePointer<uv_connect_t>?, Int32) -> Void =
      { request, status in
        let user = unsafe cuv_request_data(request!)!
        let stream = unsafe Unmanaged<ByteStream>.fromOpaque(user).takeRetainedValue()
        unsafe request?.deallocate()
        stream.opened(status == 0 ? nil : StreamError(.connect, libuvText(status)))
      }

  /// Moves the handshake on as far as the bytes at hand allow.
  func stepHandshake() {
    guard let tls, !isClosed else { return }
    let step = tls.step()
    if tls.hasOutput { flushHandshake(tls) }
    switch step {
    case .wantsMore: return
    case .failed(let error): end(error)
    case .done:
      stopReading()
      opened(nil)
    }
  }

  /// Handshake messages, and the alert that tells the peer why it failed, go out at once.
  private func flushHandshake(_ tls: TLSSession) {
    guard let raw = unsafe handle?.raw else { return }
    let here = loop.here
    tls.takeOutput(into: &here.records)
    let sent = unsafe here.records.withUnsafeBufferPointer { bytes in
      unsafe cuv_try_write(raw, bytes.baseAddress, bytes.count)
    }
    if sent < here.records.count {
      end(StreamError(.reset, "the peer takes no handshake bytes"))
    }
  }
}

extension ByteStream {
  /// A server's side: reads and answers the handshake, 10 s at most, then tells how it ended.
  func whenHandshakeEnds(_ ended: @escaping (Bool) -> Void) {
    let watch = HandshakeWatch(self, ended)
    let timer = LoopTimer(on: loop) { watch.stream?.end(StreamError(.timeout, "slow handshake")) }
    timer.arm(after: .seconds(10))
    watch.timer = timer
    owner = watch
    handshakeWatch = watch
    readFromSocket()
    stepHandshake()
  }
}

/// Owns an accepted stream until its handshake ends.
final class HandshakeWatch: ByteStreamOwner {
  weak var stream: ByteStream?
  var timer: LoopTimer?
  private var ended: ((Bool) -> Void)?

  init(_ stream: ByteStream, _ ended: @escaping (Bool) -> Void) {
    self.stream = stream
    self.ended = ended
  }

  func finish(_ succeeded: Bool) {
    timer?.cancel()
    let ended = ended
    self.ended = nil
    stream?.handshakeWatch = nil
    ended?(succeeded)
  }

  func streamRead(_ bytes: Span<UInt8>) {}
  func streamFill(_ output: inout [UInt8]) {}
  func streamClosed(_ error: StreamError?) { finish(false) }
}
