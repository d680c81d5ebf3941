internal import COpenSSL

/// A certificate chain with its private key, both PEM; the key is not encrypted.
package struct TLSIdentity: Sendable {
  package let certificateChainPEM: [UInt8]
  package let privateKeyPEM: [UInt8]

  package init(certificateChainPEM: [UInt8], privateKeyPEM: [UInt8]) {
    self.certificateChainPEM = certificateChainPEM
    self.privateKeyPEM = privateKeyPEM
  }
}

/// The settings of TLS streams: trust, identity, protocols. Shared by any number of threads.
@safe package final class TLSContext: @unchecked Sendable {
  let raw: OpaquePointer
  let isServer: Bool
  /// ALPN names in the order of preference.
  let protocols: [String]
  /// The same in wire form, each with its length in front; the server's callback reads it.
  private let wireProtocols: [UInt8]

  /// For connecting. The chain and the name of the peer are always verified. `caFile` replaces the
  /// system's roots. With `alpn` the peer must agree on one of them, else `.alpn`.
  package static func client(
    caFile: String? = nil, identity: TLSIdentity? = nil, alpn: [String] = []
  ) throws(StreamError) -> TLSContext {
    let context = try TLSContext(isServer: false, alpn)
    try context.trust(caFile)
    unsafe SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
    unsafe TLSSession.watchTickets(of: context.raw)
    if let identity { try context.use(identity) }
    unsafe context.wireProtocols.withUnsafeBufferPointer {
      _ = unsafe SSL_CTX_set_alpn_protos(context.raw, $0.baseAddress, UInt32($0.count))
    }
    return context
  }

  /// For accepting. A client certificate is asked for, never required; one that `clientCAFile`
  /// does not vouch for fails the handshake. With `givesTickets` clients may resume their sessions,
  /// which costs every accepted connection two tickets.
  package static func server(
    identity: TLSIdentity, alpn: [String] = [], asksForClientCertificate: Bool = false,
    clientCAFile: String? = nil, givesTickets: Bool = false
  ) throws(StreamError) -> TLSContext {
    let context = try TLSContext(isServer: true, alpn)
    try context.use(identity)
    if asksForClientCertificate {
      try context.trust(clientCAFile)
      unsafe SSL_CTX_set_verify(context.raw, SSL_VERIFY_PEER, nil)
    }
    if !alpn.isEmpty { context.chooseProtocols() }
    context.giveTickets(givesTickets)
    return context
  }

  private init(isServer: Bool, _ alpn: [String]) throws(StreamError) {
    let method = unsafe isServer ? TLS_server_method() : TLS_client_method()
    guard let raw = unsafe SSL_CTX_new(method) else { throw Self.error("no TLS context") }
    unsafe self.raw = raw
    self.isServer = isServer
    protocols = alpn
    wireProtocols = alpn.flatMap { [UInt8($0.utf8.count)] + Array($0.utf8) }
    unsafe cssl_min_version(raw, TLS1_2_VERSION)
    unsafe cssl_mode(raw, Int(SSL_MODE_RELEASE_BUFFERS))
  }

  private func giveTickets(_ gives: Bool) {
    unsafe SSL_CTX_set_num_tickets(raw, gives ? 2 : 0)
    // Required of servers that ask for certificates: sessions of others are not taken.
    let name = Array("allim".utf8)
    unsafe SSL_CTX_set_session_id_context(raw, name, UInt32(name.count))
  }

  private func trust(_ caFile: String?) throws(StreamError) {
    guard let caFile else {
      unsafe SSL_CTX_set_default_verify_paths(raw)
      return
    }
    if unsafe SSL_CTX_load_verify_locations(raw, caFile, nil) != 1 {
      throw Self.error("cannot read certificates from \(caFile)")
    }
  }

  private func use(_ identity: TLSIdentity) throws(StreamError) {
    ERR_clear_error()
    let loaded = unsafe identity.certificateChainPEM.withUnsafeBufferPointer { chain in
      unsafe useChain(chain)
    }
    if !loaded { throw Self.error("the certificate cannot be used") }
    let keyed = unsafe identity.privateKeyPEM.withUnsafeBufferPointer { key in
      let bio = unsafe BIO_new_mem_buf(key.baseAddress, Int32(key.count))
      defer { unsafe BIO_free(bio) }
      guard let key = unsafe PEM_read_bio_PrivateKey(bio, nil, cssl_no_prompt, nil) else {
        return false
      }
      defer { unsafe EVP_PKEY_free(key) }
      return unsafe SSL_CTX_use_PrivateKey(raw, key) == 1 && SSL_CTX_check_private_key(raw) == 1
    }
    if !keyed { throw Self.error("the private key cannot be used, or is of another certificate") }
  }

  private func useChain(_ chain: UnsafeBufferPointer<UInt8>) -> Bool {
    let bio = unsafe BIO_new_mem_buf(chain.baseAddress, Int32(chain.count))
    defer { unsafe BIO_free(bio) }
    guard let leaf = unsafe PEM_read_bio_X509(bio, nil, cssl_no_prompt, nil) else { return false }
    defer { unsafe X509_free(leaf) }
    if unsafe SSL_CTX_use_certificate(raw, leaf) != 1 { return false }
    while let next = unsafe PEM_read_bio_X509(bio, nil, cssl_no_prompt, nil) {
      defer { unsafe X509_free(next) }
      if unsafe cssl_add_chain(raw, next) != 1 { return false }
    }
    ERR_clear_error()  // the end of the file is reported as an error
    return true
  }

  private func chooseProtocols() {
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe SSL_CTX_set_alpn_select_cb(
      raw,
      { _, out, outCount, offered, offeredCount, user in
        let context = unsafe Unmanaged<TLSContext>.fromOpaque(user!).takeUnretainedValue()
        return unsafe context.wireProtocols.withUnsafeBufferPointer { ours in
          var chosen: UnsafeMutablePointer<UInt8>?
          let result = unsafe SSL_select_next_proto(
            &chosen, outCount, ours.baseAddress, UInt32(ours.count), offered, offeredCount)
          guard result == OPENSSL_NPN_NEGOTIATED else { return SSL_TLSEXT_ERR_ALERT_FATAL }
          // It points into what the client offered or into ours; both outlive the call.
          unsafe out?.pointee = UnsafePointer(chosen)
          return SSL_TLSEXT_ERR_OK
        }
      }, user)
  }

  static func error(_ what: String) -> StreamError {
    StreamError(.setup, "\(what): \(lastError())")
  }

  /// The newest entry of this thread's OpenSSL error queue, which is then emptied.
  static func lastError() -> String {
    let code = ERR_peek_last_error()
    ERR_clear_error()
    guard code != 0, let reason = unsafe ERR_reason_error_string(code) else {
      return "no reason given"
    }
    return unsafe String(cString: reason)
  }

  deinit { unsafe SSL_CTX_free(raw) }
}
