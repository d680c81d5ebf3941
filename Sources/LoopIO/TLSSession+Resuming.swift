internal import COpenSSL

extension TLSSession {
  /// Sessions begun with `context` are told to the connection that they came on.
  static func watchTickets(of context: OpaquePointer) {
    unsafe cssl_tell_sessions(context)
    unsafe SSL_CTX_sess_set_new_cb(context) { ssl, session in
      guard let user = unsafe SSL_get_ex_data(ssl, 0), let session = unsafe session else {
        return 0
      }
      let tickets = unsafe Unmanaged<TLSSession>.fromOpaque(user).takeUnretainedValue().tickets
      guard let tickets else { return 0 }
      unsafe tickets.keep(session)
      return 1  // the session is ours now
    }
  }

  /// A resumed handshake shows no certificate, so that of the session is looked at once more: it
  /// must name the peer that is expected here, today.
  static func trouble(resuming ssl: OpaquePointer, _ name: String) -> StreamError? {
    guard let certificate = unsafe SSL_get0_peer_certificate(ssl),
      unsafe SSL_get_verify_result(ssl) == Int(X509_V_OK)
    else { return StreamError(.trust, "the resumed session has no verified certificate") }
    let flags = UInt32(X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS)
    let isNamed =
      unsafe X509_check_ip_asc(certificate, name, 0) == 1
      || X509_check_host(certificate, name, 0, flags, nil) == 1
    if !isNamed { return StreamError(.name, "the resumed session is with another server") }
    guard unsafe X509_cmp_current_time(X509_get0_notAfter(certificate)) > 0 else {
      return StreamError(.expired, "the resumed session's certificate has expired")
    }
    return nil
  }
}
