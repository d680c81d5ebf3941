internal import CMicrohttpd
internal import Glibc
internal import SharedState

/// Serves the table of paths until `stop()`, and keeps itself alive until then.
package final class AdminServer: Sendable {
  /// `host:port` as bound.
  package let address: String

  @safe private struct State {
    var isStopping = false
    /// Requests that wait for their answer, their connections suspended.
    var waiting: [ObjectIdentifier: AdminExchange] = [:]
    /// nil before the start and after the end.
    nonisolated(unsafe) var daemon: OpaquePointer?
    var watch = ConnectionWatch()
  }
  private let state = Guarded(State())
  /// libmicrohttpd closes it.
  private let listener: Int32
  /// By path, then by method.
  private let routes: [String: [String: AdminRoute]]
  private let access: AdminAccess
  private let audit: @Sendable (AdminOperation, AdminRequest, Int) -> Void
  private let clock = SystemClock()

  /// More than one worker's probes, scrapers and browsers need; beyond it, connections wait.
  private static let maximumConnections: UInt32 = 128
  /// Half of them, so that one address cannot keep everybody else out.
  private static let connectionsOfPeer: UInt32 = 64
  /// An idle client is let go after so many seconds.
  private static let idleSeconds: UInt32 = 30

  /// Throws when it cannot listen there.
  package init(
    _ wanted: AdminAddress, _ admin: AdminState, _ access: AdminAccess
  ) throws(AdminError) {
    let listener = try AdminListener(wanted)
    address = listener.address
    self.listener = listener.descriptor
    routes = Dictionary(grouping: AdminRoute.all(admin), by: \.path).mapValues {
      Dictionary(uniqueKeysWithValues: $0.map { ($0.method, $0) })
    }
    audit = admin.audit
    var access = access
    access.isLoopback = listener.isLoopback
    self.access = access
    // Released in `stop`: a callback must never hold the last reference, since the end of the
    // server waits for the thread that callbacks run on.
    let user = unsafe Unmanaged.passRetained(self).toOpaque()
    let daemon = unsafe cmhd_start_watched(
      listener.descriptor, adminRequest, adminRequestEnded, adminConnection, user,
      Self.maximumConnections, Self.connectionsOfPeer, Self.idleSeconds)
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
    // A child that is just being started still holds a copy of the descriptor, and would keep the
    // socket listening for nobody.
    shutdown(listener, Int32(SHUT_RDWR))
    unsafe MHD_stop_daemon(daemon)
    unsafe Unmanaged.passUnretained(self).release()
  }

  /// Ends connections of clients that take for ever to send a request; to be called now and then.
  package func dropSlowClients() {
    let now = clock.monotonic()
    state.withLock { state in
      // Under the lock, since libmicrohttpd tells of an end before it closes the socket.
      for socket in state.watch.overdue(now: now) {
        state.watch.isEven(socket)
        shutdown(socket, Int32(SHUT_RDWR))
      }
    }
  }

  fileprivate func connection(_ socket: Int32, isOpen: Bool) {
    let now = clock.monotonic()
    state.withLock { state in
      if isOpen { state.watch.owes(socket, now: now) } else { state.watch.isEven(socket) }
    }
  }

  /// On libmicrohttpd's thread, when a request is whole, and again when its answer is there.
  fileprivate func answer(
    _ exchange: AdminExchange, method: String, path: String
  ) -> MHD_Result {
    if let reply = state.withLock({ _ in exchange.reply }) {
      return unsafe queue(reply, on: exchange.connection)
    }
    var request = exchange.request(method: method, path: path)
    guard let route = route(request) else {
      return unsafe queue(missing(request), on: exchange.connection)
    }
    if exchange.isTooLarge { return unsafe queue(.tooLarge, on: exchange.connection) }
    if let refusal = access.refusal(route.kind, request) {
      note(refusal, request)
      return unsafe queue(refusal, on: exchange.connection)
    }
    request.isAuthorized = access.isAuthorized(request)
    guard suspend(exchange) else { return unsafe queue(.stopping, on: exchange.connection) }
    // Nobody waits for it: the suspended connection is the waiting, and `stop` lets it go.
    Task { [request] in resume(exchange, with: await route.answer(request)) }
    return .YES
  }

  private func route(_ request: AdminRequest) -> AdminRoute? {
    let method = request.method == "HEAD" ? "GET" : request.method
    return routes[request.path]?[method]
  }

  private func missing(_ request: AdminRequest) -> AdminReply {
    guard let methods = routes[request.path]?.keys else { return .notFound }
    let allowed = methods.sorted().flatMap { $0 == "GET" ? ["GET", "HEAD"] : [$0] }
    return .wrongMethod(allowed: allowed.joined(separator: ", "))
  }

  /// Attempts to change something are audited, refused ones too.
  private func note(_ refusal: AdminReply, _ request: AdminRequest) {
    for operation in AdminOperation.allCases where operation.path == request.path {
      if operation.isChange { audit(operation, request, Int(refusal.status)) }
    }
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

/// libmicrohttpd's callback: first with the headers alone, then with pieces of a body, then with
/// none left.
private let adminRequest: MHD_AccessHandlerCallback = {
  user, connection, path, method, _, piece, size, slot in
  guard let user = unsafe user, let connection = unsafe connection, let path = unsafe path,
    let method = unsafe method, let size = unsafe size, let slot = unsafe slot
  else { return .NO }
  guard let known = unsafe slot.pointee else {
    // Released in adminRequestEnded.
    unsafe slot.pointee = Unmanaged.passRetained(AdminExchange(connection)).toOpaque()
    return .YES
  }
  let server = unsafe Unmanaged<AdminServer>.fromOpaque(user).takeUnretainedValue()
  let exchange = unsafe Unmanaged<AdminExchange>.fromOpaque(known).takeUnretainedValue()
  guard unsafe size.pointee == 0 else {
    let count = unsafe size.pointee
    unsafe size.pointee = 0
    let bytes = unsafe UnsafeRawPointer(piece)?.assumingMemoryBound(to: UInt8.self)
    return unsafe exchange.receive(UnsafeBufferPointer(start: bytes, count: count)) ? .YES : .NO
  }
  unsafe server.connection(cmhd_socket(connection), isOpen: false)
  return unsafe server.answer(
    exchange, method: String(cString: method), path: String(cString: path))
}

private let adminRequestEnded: MHD_RequestCompletedCallback = { user, connection, slot, _ in
  guard let slot = unsafe slot, let known = unsafe slot.pointee else { return }
  unsafe Unmanaged<AdminExchange>.fromOpaque(known).release()
  unsafe slot.pointee = nil
  guard let user = unsafe user, let connection = unsafe connection else { return }
  // A connection that is kept open owes the next request.
  let server = unsafe Unmanaged<AdminServer>.fromOpaque(user).takeUnretainedValue()
  unsafe server.connection(cmhd_socket(connection), isOpen: true)
}

private let adminConnection: MHD_NotifyConnectionCallback = { user, connection, _, code in
  guard let user = unsafe user, let connection = unsafe connection else { return }
  let server = unsafe Unmanaged<AdminServer>.fromOpaque(user).takeUnretainedValue()
  unsafe server.connection(
    cmhd_socket(connection), isOpen: code == .CONNECTION_NOTIFY_STARTED)
}
