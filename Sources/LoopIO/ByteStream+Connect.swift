internal import CLibuv

extension ByteStream {
  /// Opens a stream; with `tls` it is open when the handshake is done (a refusal of our client
  /// certificate may still arrive later, with TLS 1.3). `serverName` is what the certificate must
  /// name; nil = the endpoint's host. `timeout` bounds all of it.
  package static func connect(
    to endpoint: Endpoint, tls: TLSContext? = nil, serverName: String? = nil, on loop: Loop,
    timeout: Duration
  ) async throws(StreamError) -> ByteStream {
    let deadline = ContinuousClock.now.advanced(by: timeout)
    switch endpoint {
    case .unix(let path):
      let stream = ByteStream(on: loop, tcp: false)
      try await stream.open(before: deadline) { stream.startConnect(toPath: path) }
      stream.peerAddress = path
      try await stream.secure(tls, serverName ?? "localhost", before: deadline)
      return stream
    case .tcp(let host, let port):
      let stream = try await connectTCP(host, port, on: loop, before: deadline)
      try await stream.secure(tls, serverName ?? host, before: deadline)
      return stream
    }
  }

  private static func connectTCP(
    _ host: String, _ port: Int, on loop: Loop, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) -> ByteStream {
    var trouble = StreamError(.resolve, "no address")
    for address in try await loop.resolve(host, port: port) {
      let stream = ByteStream(on: loop, tcp: true)
      do {
        try await stream.open(before: deadline) { stream.startConnect(to: address) }
        stream.peerAddress = address.text.host
        return stream
      } catch {
        trouble = error
        if error.kind == .timeout || error.kind == .cancelled { break }
      }
    }
    throw trouble
  }

  private func secure(
    _ context: TLSContext?, _ name: String, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) {
    guard let context else { return }
    let session = try TLSSession(context, serverName: name)
    tls = session
    try await open(before: deadline) {
      self.readFromSocket()
      self.stepHandshake()
    }
  }

  /// Starts a step of opening and waits until it ends, the deadline passes or the task is
  /// cancelled. On failure the stream is closed.
  func open(
    before deadline: ContinuousClock.Instant, isolation: isolated (any Actor)? = #isolation,
    _ start: () -> Void
  ) async throws(StreamError) {
    let left = ContinuousClock.now.duration(to: deadline)
    let timer = LoopTimer(on: loop) { [unowned self] in
      end(StreamError(.timeout, "no answer in time"))
    }
    timer.arm(after: left)
    let me = LoopBound(self)
    let loop = loop
    let trouble = await withTaskCancellationHandler {
      _ = isolation  // keeps the closure on the caller's actor; else it runs on the global pool
      return await withCheckedContinuation {
        (continuation: CheckedContinuation<StreamError?, Never>) in
        // Cancelled between two steps: `end` has run, and nothing would resume this one.
        if isClosed { return continuation.resume(returning: StreamError(.cancelled, "cancelled")) }
        opening = continuation
        start()
      }
    } onCancel: {
      loop.execute { me.value.end(StreamError(.cancelled, "cancelled")) }
    }
    timer.cancel()
    if let trouble { throw trouble }
  }

  /// Ends the step under way: nil = it succeeded.
  private func opened(_ error: StreamError?) {
    if let error { return end(error) }
    if let handshakeWatch {
      owner = nil
      return handshakeWatch.finish(true)
    }
    guard let opening else { return }
    self.opening = nil
    opening.resume(returning: nil)
  }

  private func startConnect(to address: SocketAddress) {
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
    unsafe tls.withOutput { bytes in
      let sent = unsafe cuv_try_write(raw, bytes.baseAddress, bytes.count)
      if sent < bytes.count { end(StreamError(.reset, "the peer takes no handshake bytes")) }
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
