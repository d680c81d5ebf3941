internal import COpenSSL

/// What a client's next TLS connections to one server may begin with, instead of a whole handshake
/// (RFC 8446 2.2). Used only on one loop's thread.
///
/// One belongs to one server and one identity: resuming a session shows the server the client
/// certificate that it began with. Each ticket serves once, so that nobody can tell by them which
/// connections are of one client (RFC 8446 C.4).
@safe package final class SessionTickets {
  /// Enough for every connection of a pool to be replaced at once; servers give two each.
  private static let most = 8

  /// What the sessions were made with, and may be resumed with.
  let context: TLSContext
  private var sessions: [OpaquePointer] = unsafe []

  package init(_ context: TLSContext) { self.context = context }

  package var count: Int { unsafe sessions.count }

  /// Takes a session over.
  func keep(_ session: OpaquePointer) {
    if unsafe sessions.count == Self.most { unsafe SSL_SESSION_free(sessions.removeFirst()) }
    unsafe sessions.append(session)
  }

  /// The newest session goes into a connection that has not begun yet.
  func use(in ssl: OpaquePointer) {
    guard let session = unsafe sessions.popLast() else { return }
    unsafe SSL_set_session(ssl, session)
    unsafe SSL_SESSION_free(session)
  }

  deinit { for index in unsafe sessions.indices { unsafe SSL_SESSION_free(sessions[index]) } }
}
