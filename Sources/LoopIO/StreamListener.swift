internal import CLibuv

/// Accepts streams; with TLS each is handed over when its handshake is done.
@safe package final class StreamListener {
  private let loop: Loop
  private let tls: TLSContext?
  private let accept: (ByteStream) -> Void
  private let link = StreamHandle.Link()
  private var handle: StreamHandle?
  private var handshakes: [ObjectIdentifier: ByteStream] = [:]
  /// The port bound, also when 0 was asked for; 0 for a unix socket.
  package private(set) var port = 0

  package init(
    on loop: Loop, endpoint: Endpoint, tls: TLSContext? = nil,
    accept: @escaping (ByteStream) -> Void
  ) throws(StreamError) {
    self.loop = loop
    self.tls = tls
    self.accept = accept
    link.listener = self
    switch endpoint {
    case .tcp(let host, let port): try listen(host, port)
    case .unix(let path): try listen(path)
    }
  }

  private func listen(_ host: String, _ port: Int) throws(StreamError) {
    guard let address = SocketAddress(digits: host, port: port) else {
      throw StreamError(.setup, "not an address in digits: \(host)")
    }
    let handle = StreamHandle(on: loop, tcp: true, link: link)
    let bound = unsafe address.withPointer { unsafe uv_tcp_bind(handle.tcp, $0, 0) }
    try check(bound == 0 ? startListening(handle) : bound, "\(host):\(port)")
    var name = sockaddr_storage()
    var size = Int32(MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutablePointer(to: &name) { name in
      unsafe name.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
        unsafe uv_tcp_getsockname(handle.tcp, name, &size)
        unsafe self.port = SocketAddress(name).text.port
      }
    }
    self.handle = consume handle
  }

  private func listen(_ path: String) throws(StreamError) {
    let handle = StreamHandle(on: loop, tcp: false, link: link)
    let bound = unsafe uv_pipe_bind(handle.pipe, path)
    try check(bound == 0 ? startListening(handle) : bound, path)
    self.handle = consume handle
  }

  private func startListening(_ handle: borrowing StreamHandle) -> Int32 {
    unsafe cuv_listen(handle.raw, 1_024) { server, status in
      guard status == 0, let server = unsafe server else { return }
      unsafe StreamHandle.link(of: server).listener?.take(server)
    }
  }

  private func check(_ code: Int32, _ place: String) throws(StreamError) {
    if code != 0 { throw StreamError(.setup, "cannot listen on \(place): \(libuvText(code))") }
  }

  private func take(_ server: UnsafeMutablePointer<uv_stream_t>) {
    let stream = ByteStream(on: loop, tcp: handle?.isTCP ?? true)
    guard let raw = unsafe stream.handle?.raw, unsafe cuv_accept(server, raw) == 0 else {
      return stream.close()
    }
    guard let tls else { return accept(stream) }
    guard let session = try? TLSSession(tls, serverName: nil) else { return stream.close() }
    stream.tls = session
    handshakes[ObjectIdentifier(stream)] = stream
    stream.whenHandshakeEnds { [weak self] succeeded in
      guard let self, handshakes.removeValue(forKey: ObjectIdentifier(stream)) != nil else {
        return
      }
      if succeeded { accept(stream) }
    }
  }

  /// Accepts no more; streams already handed over stay open.
  package func close() {
    handle = nil
    let waiting = handshakes.values
    handshakes.removeAll()
    for stream in waiting { stream.close() }
  }
}
