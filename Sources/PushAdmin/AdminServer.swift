internal import CMicrohttpd
internal import SharedState

/// Serves `/livez`, `/readyz` and `/metrics` until `stop()`, and keeps itself alive until then.
package final class AdminServer: Sendable {
  /// `host:port` as bound.
  package let address: String

  @safe private struct State {
    var isStopping = false
    /// Requests that wait for their answer, their connections suspended.
    var waiting: [ObjectIdentifier: AdminExchange] = [:]
    /// nil before the start and after the end.
    nonisolated(unsafe) var daemon: OpaquePointer?
  }
  private let state = Guarded(State())
  private let routes: [String: AdminRoute]

  /// More than one worker's probes, scrapers and browsers need; beyond it, connections wait.
  private static let maximumConnections: UInt32 = 128
  /// An idle or dripping client is let go after so many seconds.
  private static let idleSeconds: UInt32 = 30

  /// Throws when it cannot listen there.
  package init(_ wanted: AdminAddress, _ admin: AdminState) throws(AdminError) {
    let listener = try AdminListener(wanted)
    address = listener.address
    routes = Dictionary(uniqueKeysWithValues: AdminRoute.all(admin).map { ($0.path, $0) })
    // Released in `stop`: a callback must never hold the last reference, since the end of the
    // server waits for the thread that callbacks run on.
    let user = unsafe Unmanaged.passRetained(self).toOpaque()
    let daemon = unsafe cmhd_start(
      listener.descriptor, adminRequest, adminRequestEnded, user, Self.maximumConnections,
      Self.idleSeconds)
    guard let daemon = unsafe daemon else {
      unsafe Unmanaged<AdminServer>.fromOpaque(user).release()
      throw AdminError(description: "cannot serve on \(listener.address)")
    }
    state.withLock { unsafe $0.daemon = daemon }
  }

  /// Ends serving; requests that wait are dropped. libmicrohttpd ends the process when it is
  /// stopped with a suspended connection, so none may be left and none may follow.
  package func stop() {
    let daemon = state.withLock { state -> UInt in
      state.isStopping = true
      for exchange in state.waiting.values {
        exchange.reply = .stopping
        unsafe MHD_resume_connection(exchange.connection)
      }
      state.waiting = [:]
      defer { unsafe state.daemon = nil }
      return unsafe UInt(bitPattern: state.daemon)
    }
    guard let daemon = unsafe OpaquePointer(bitPattern: daemon) else { return }
    unsafe MHD_stop_daemon(daemon)
    unsafe Unmanaged.passUnretained(self).release()
  }

  /// On libmicrohttpd's thread, when a request is whole, and again when its answer is there.
  fileprivate func answer(
    _ exchange: AdminExchange, method: String, path: String
  ) -> MHD_Result {
    if let reply = state.withLock({ _ in exchange.reply }) {
      return unsafe queue(reply, on: exchange.connection)
    }
    guard let route = routes[path] else {
      return unsafe queue(.notFound, on: exchange.connection)
    }
    guard method == "GET" || method == "HEAD" else {
      return unsafe queue(.wrongMethod, on: exchange.connection)
    }
    guard suspend(exchange) else { return unsafe queue(.stopping, on: exchange.connection) }
    // Nobody waits for it: the suspended connection is the waiting, and `stop` lets it go.
    Task { resume(exchange, with: await route.answer()) }
    return .YES
  }

  private func suspend(_ exchange: AdminExchange) -> Bool {
    state.withLock { state in
      guard !state.isStopping else { return false }
      state.waiting[ObjectIdentifier(exchange)] = exchange
      unsafe MHD_suspend_connection(exchange.connection)
      return true
    }
  }

  private func resume(_ exchange: AdminExchange, with reply: AdminReply) {
    state.withLock { state in
      // After `stop` the connection may be gone.
      guard state.waiting.removeValue(forKey: ObjectIdentifier(exchange)) != nil else { return }
      exchange.reply = reply
      unsafe MHD_resume_connection(exchange.connection)
    }
  }
}

/// libmicrohttpd's callback: first with the headers alone, then with pieces of a body, which no
/// path wants, then with none left.
private let adminRequest: MHD_AccessHandlerCallback = {
  user, connection, path, method, _, _, size, slot in
  guard let user = unsafe user, let connection = unsafe connection, let path = unsafe path,
    let method = unsafe method, let size = unsafe size, let slot = unsafe slot
  else { return .NO }
  guard let known = unsafe slot.pointee else {
    // Released in adminRequestEnded.
    unsafe slot.pointee = Unmanaged.passRetained(AdminExchange(connection)).toOpaque()
    return .YES
  }
  guard unsafe size.pointee == 0 else {
    unsafe size.pointee = 0
    return .YES
  }
  let server = unsafe Unmanaged<AdminServer>.fromOpaque(user).takeUnretainedValue()
  let exchange = unsafe Unmanaged<AdminExchange>.fromOpaque(known).takeUnretainedValue()
  return unsafe server.answer(
    exchange, method: String(cString: method), path: String(cString: path))
}

private let adminRequestEnded: MHD_RequestCompletedCallback = { _, _, slot, _ in
  guard let slot = unsafe slot, let known = unsafe slot.pointee else { return }
  unsafe Unmanaged<AdminExchange>.fromOpaque(known).release()
  unsafe slot.pointee = nil
}
