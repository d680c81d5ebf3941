internal import CLibuv

/// Whoever reads and writes a stream. All calls come on the loop's thread.
package protocol ByteStreamOwner: AnyObject {
  /// Bytes arrived, decrypted; valid during the call only.
  func streamRead(_ bytes: Span<UInt8>)
  /// The end of a turn after `setNeedsFill`, only while the socket takes bytes: append to `output`
  /// what is to be sent now. Bytes appended are handed to the socket right after.
  func streamFill(_ output: inout [UInt8])
  /// Once, when the peer or an error ended the stream; nil = an orderly end.
  func streamClosed(_ error: StreamError?)
}

/// A TCP or unix stream, with TLS when asked, used only on its loop's thread.
///
/// Writing is pulled: the owner says `setNeedsFill`, and at the end of the turn gives all its bytes
/// at once, so a turn costs one TLS record run and one write. While the socket is full the owner is
/// not asked, so what waits stays where it can still be changed.
@safe package final class ByteStream: Opening {
  package weak var owner: (any ByteStreamOwner)?
  package internal(set) var peerAddress = ""

  package let loop: Loop
  var handle: StreamHandle?
  var tls: TLSSession?
  private let link = StreamHandle.Link()

  package var whenOpened: ((StreamError?) -> Void)?
  /// Set while an accepted stream is in its handshake.
  var handshakeWatch: HandshakeWatch?
  var writer = StreamWriter()
  package private(set) var isClosed = false
  private var isReading = false

  init(on loop: Loop, tcp: Bool) {
    self.loop = loop
    handle = StreamHandle(on: loop, tcp: tcp, link: link)
    link.stream = self
  }

  /// The protocol agreed by ALPN.
  package var negotiatedProtocol: String? { tls?.negotiatedProtocol }

  /// True when TLS went on with a session of an earlier connection.
  package var isResumed: Bool { tls?.isResumed ?? false }

  /// The peer's certificate as DER, when it showed one.
  package var peerCertificate: [UInt8]? { tls?.peerCertificate }

  /// The descriptor of the socket, for options that libuv does not know; -1 once closed.
  package var descriptor: Int32 {
    guard let raw = unsafe handle?.raw else { return -1 }
    return unsafe cuv_fileno(raw)
  }

  /// A peer that acknowledges nothing for this long counts as gone (TCP_USER_TIMEOUT).
  package func setUserTimeout(_ duration: Duration) {
    guard let raw = unsafe handle?.raw, handle?.isTCP == true else { return }
    unsafe cuv_user_timeout(raw, UInt32(duration.nanoseconds / 1_000_000))
  }

  // MARK: Reading

  /// Begins to deliver bytes; call it when `owner` is set.
  package func startReading() {
    readFromSocket()
    guard tls != nil else { return }
    // The last handshake packet may have carried data: it waits inside the TLS session.
    drainTLS()
  }

  /// Stops delivering bytes until `startReading`: the peer is held back by its own window.
  package func stopReading() {
    isReading = false
    if let raw = unsafe handle?.raw { unsafe cuv_read_stop(raw) }
  }

  func readFromSocket() {
    guard !isReading, let raw = unsafe handle?.raw else { return }
    isReading = true
    unsafe cuv_read_start(
      raw,
      { handle, _, buffer in
        let stream = unsafe StreamHandle.link(of: handle!).stream
        guard let shared = unsafe stream?.loop.here.readBuffer else { return }
        unsafe buffer?.pointee = uv_buf_init(
          shared.baseAddress?.assumingMemoryBound(to: CChar.self), UInt32(shared.count))
      },
      { handle, count, buffer in
        guard let stream = unsafe StreamHandle.link(of: handle!).stream, count != 0 else { return }
        if count < 0 { return stream.socketEnded(Int32(count)) }
        let start = unsafe buffer!.pointee.base
        unsafe start?.withMemoryRebound(to: UInt8.self, capacity: count) { start in
          unsafe stream.socketRead(UnsafeBufferPointer(start: start, count: count))
        }
      })
  }

  private func socketRead(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let tls else {
      unsafe owner?.streamRead(bytes.span)
      return
    }
    unsafe tls.receive(bytes)
    if tls.isHandshaking { stepHandshake() } else { drainTLS() }
  }

  /// Gives the owner what TLS has decrypted so far.
  private func drainTLS() {
    guard let tls else { return }
    let buffer = unsafe loop.here.plaintext
    while !isClosed {
      switch unsafe tls.read(into: buffer) {
      case .bytes(let count):
        let bytes = unsafe UnsafeBufferPointer(
          rebasing: buffer.bindMemory(to: UInt8.self)[..<count])
        unsafe owner?.streamRead(bytes.span)
        if tls.isReadOut { return answerTLS(tls) }
      case .wantsMore: return answerTLS(tls)
      case .ended: return end(nil)
      case .failed(let error): return end(error)
      }
    }
  }

  /// What was read may want an answer of TLS itself.
  private func answerTLS(_ tls: TLSSession) {
    if tls.hasOutput { scheduleFlush() }
  }

  private func socketEnded(_ code: Int32) {
    let isEnd = code == UV_EOF.rawValue
    if tls?.isHandshaking == true {
      return end(StreamError(.handshake, "the peer closed during the TLS handshake"))
    }
    end(isEnd ? nil : StreamError(.reset, libuvText(code)))
  }

  // MARK: Ending

  /// Ends the stream at once; the owner is not called again.
  package func close() {
    owner = nil
    end(StreamError(.cancelled, "closed"))
  }

  /// Writes what the owner still gives at the end of this turn, then closes.
  package func closeAfterFlush() {
    writer.closesWhenWritten = true
    setNeedsFill()
  }

  package func end(_ error: StreamError?) {
    if isClosed { return }
    isClosed = true
    handle = nil
    let owner = owner
    self.owner = nil
    tellOpened(error ?? StreamError(.closed, "closed by the peer"))
    owner?.streamClosed(error)
  }
}
