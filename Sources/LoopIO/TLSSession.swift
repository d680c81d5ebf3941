internal import COpenSSL

/// One TLS connection between two buffers: the stream moves the bytes.
@safe final class TLSSession {
  enum Step {
    case done, wantsMore
    case failed(StreamError)
  }
  enum Read {
    case bytes(Int)
    case wantsMore, ended
    case failed(StreamError)
  }

  private let context: TLSContext
  /// Whom a client expects; nil at a server.
  private let serverName: String?
  /// Where sessions for later connections go.
  let tickets: SessionTickets?
  private let ssl: OpaquePointer
  private let input: OpaquePointer
  private let output = TLSOutput()
  private(set) var isHandshaking = true

  /// `serverName` is whom a client expects; a server passes nil. `tickets` of another context are
  /// not used: their sessions may stand for another client.
  init(
    _ context: TLSContext, serverName: String?, tickets: SessionTickets? = nil
  ) throws(StreamError) {
    guard let ssl = unsafe SSL_new(context.raw), let input = unsafe BIO_new(BIO_s_mem()),
      let records = unsafe output.makeBIO()
    else { throw TLSContext.error("no TLS session") }
    self.context = context
    self.serverName = serverName
    self.tickets = tickets?.context === context ? tickets : nil
    unsafe self.ssl = ssl
    unsafe self.input = input
    unsafe cssl_bio_eof(input, -1)
    unsafe SSL_set_bio(ssl, input, records)  // SSL_free frees both
    if let serverName { expect(serverName) } else { unsafe SSL_set_accept_state(ssl) }
    guard let tickets = self.tickets else { return }
    unsafe SSL_set_ex_data(ssl, 0, Unmanaged.passUnretained(self).toOpaque())
    unsafe tickets.use(in: ssl)
  }

  private func expect(_ name: String) {
    unsafe SSL_set_connect_state(ssl)
    let param = unsafe SSL_get0_param(ssl)
    unsafe X509_VERIFY_PARAM_set_hostflags(param, UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS))
    if unsafe X509_VERIFY_PARAM_set1_ip_asc(param, name) == 1 { return }  // an address: no SNI
    ERR_clear_error()
    unsafe cssl_server_name(ssl, name)
    unsafe X509_VERIFY_PARAM_set1_host(param, name, 0)
  }

  // MARK: Handshake

  func step() -> Step {
    forgetErrors()
    let result = unsafe SSL_do_handshake(ssl)
    if result == 1 {
      isHandshaking = false
      if isResumed, let serverName,
        let trouble = unsafe Self.trouble(resuming: ssl, serverName)
      {
        return .failed(trouble)
      }
      return agreed ? .done : .failed(StreamError(.alpn, alpnTrouble))
    }
    let code = unsafe SSL_get_error(ssl, result)
    if code == SSL_ERROR_WANT_READ || code == SSL_ERROR_WANT_WRITE { return .wantsMore }
    return .failed(handshakeError())
  }

  /// True when the handshake went on with an earlier session.
  var isResumed: Bool { unsafe SSL_session_reused(ssl) == 1 }

  /// True when a client got one of the protocols it asked for.
  private var agreed: Bool {
    if context.isServer || context.protocols.isEmpty { return true }
    return negotiatedProtocol.map { context.protocols.contains($0) } ?? false
  }

  private var alpnTrouble: String {
    let wanted = context.protocols.joined(separator: ", ")
    return "the peer did not agree on \(wanted) but on \(negotiatedProtocol ?? "nothing")"
  }

  private func handshakeError() -> StreamError {
    let verified = unsafe SSL_get_verify_result(ssl)
    let why = unsafe String(cString: X509_verify_cert_error_string(verified))
    let text = TLSContext.lastError()
    switch Int32(verified) {
    case X509_V_OK:
      return StreamError(text.contains("no application protocol") ? .alpn : .handshake, text)
    case X509_V_ERR_HOSTNAME_MISMATCH, X509_V_ERR_IP_ADDRESS_MISMATCH:
      return StreamError(.name, why)
    case X509_V_ERR_CERT_HAS_EXPIRED, X509_V_ERR_CERT_NOT_YET_VALID:
      return StreamError(.expired, why)
    default: return StreamError(.trust, why)
    }
  }

  var negotiatedProtocol: String? {
    var name: UnsafePointer<UInt8>?
    var count: UInt32 = 0
    unsafe SSL_get0_alpn_selected(ssl, &name, &count)
    guard let name = unsafe name, count > 0 else { return nil }
    return unsafe String(
      decoding: UnsafeBufferPointer(start: name, count: Int(count)), as: UTF8.self)
  }

  var peerCertificate: [UInt8]? {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl) else { return nil }
    let count = unsafe i2d_X509(certificate, nil)
    guard count > 0 else { return nil }
    return unsafe [UInt8](unsafeUninitializedCapacity: Int(count)) { bytes, filled in
      var at = bytes.baseAddress
      filled = unsafe Int(i2d_X509(certificate, &at))
    }
  }

  // MARK: Bytes

  /// Takes what arrived from the socket.
  func receive(_ bytes: UnsafeBufferPointer<UInt8>) {
    _ = unsafe BIO_write(input, bytes.baseAddress, Int32(bytes.count))
  }

  /// True when `read` would find nothing: what arrived has been read to its end.
  var isReadOut: Bool { unsafe BIO_ctrl_pending(input) == 0 && SSL_has_pending(ssl) == 0 }

  func read(into buffer: UnsafeMutableRawBufferPointer) -> Read {
    forgetErrors()
    let count = unsafe SSL_read(ssl, buffer.baseAddress, Int32(buffer.count))
    if count > 0 { return .bytes(Int(count)) }
    switch unsafe SSL_get_error(ssl, count) {
    case SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE: return .wantsMore
    case SSL_ERROR_ZERO_RETURN: return .ended
    default: return .failed(StreamError(.handshake, TLSContext.lastError()))
    }
  }

  /// Encrypts `plain`, adds the alert that says the end is meant if it is, and moves all that is to
  /// be written to the socket into `records`, which it replaces. OpenSSL writes to the caller's
  /// memory meanwhile: so all connections of a loop share what their largest turn needs.
  func seal(
    _ plain: [UInt8], saysGoodbye: Bool, into records: inout [UInt8]
  ) -> StreamError? {
    takeOutput(into: &records)
    swap(&output.bytes, &records)
    defer { swap(&output.bytes, &records) }
    if let error = encrypt(plain) { return error }
    if saysGoodbye {
      forgetErrors()
      unsafe SSL_shutdown(ssl)
    }
    return nil
  }

  private func encrypt(_ bytes: [UInt8]) -> StreamError? {
    if bytes.isEmpty { return nil }
    forgetErrors()
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      var at = 0
      while at < bytes.count {
        let count = min(16_384, bytes.count - at)
        let written = unsafe SSL_write(ssl, bytes.baseAddress! + at, Int32(count))
        if written <= 0 { return StreamError(.handshake, TLSContext.lastError()) }
        at += Int(written)
      }
      return nil
    }
  }

  var hasOutput: Bool { !output.bytes.isEmpty }

  /// Moves what a handshake or an answer to the peer has left to be written into `bytes`, which it
  /// replaces.
  func takeOutput(into bytes: inout [UInt8]) {
    bytes.removeAll(keepingCapacity: true)
    if output.bytes.isEmpty { return }
    bytes += output.bytes
    output.bytes = []
  }

  deinit {
    // Else OpenSSL spoils the session of a connection that was cut off, which TLS 1.1 gave up
    // (RFC 4346 7.2.1); after an alert it has done so already.
    unsafe SSL_set_shutdown(ssl, SSL_SENT_SHUTDOWN | SSL_RECEIVED_SHUTDOWN)
    unsafe SSL_free(ssl)
  }
}

/// The queue of errors is the thread's, and another connection's would be taken for this one's.
/// Nearly always it is empty, which is cheaper to see than to make.
private func forgetErrors() {
  if ERR_peek_error() != 0 { ERR_clear_error() }
}
