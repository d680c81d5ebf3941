internal import CMicrohttpd
import Glibc
import LoopIO
import SharedState

/// The control port: plain HTTP on loopback by libmicrohttpd, on a thread of its own.
///
/// A request is suspended there, answered on the simulator's loop, and resumed.
@safe final class ControlServer: @unchecked Sendable {
  typealias Answerer = @Sendable (ControlRequest) -> ControlAnswer

  private let loop: Loop
  private let answer: Answerer
  private let waiting = Guarded(Waiting())
  private var daemon: OpaquePointer?
  let port: Int

  private struct Waiting {
    var count = 0
    var isClosed = false
  }

  /// `answer` is called on the loop.
  init(port: Int, on loop: Loop, answer: @escaping Answerer) throws(SimulatorError) {
    self.loop = loop
    self.answer = answer
    let listener = try LoopbackListener(port: port)
    self.port = listener.port
    let user = unsafe Unmanaged.passUnretained(self).toOpaque()
    unsafe daemon = cmhd_start(listener.socket, Self.handle, Self.completed, user, 64, 30)
    if unsafe daemon == nil {
      throw SimulatorError(.listen, "cannot serve port \(port) for control")
    }
  }

  /// Ends it; on the loop. The library must not be stopped with a suspended connection.
  func close() async {
    waiting.withLock { $0.isClosed = true }
    while waiting.withLock({ $0.count > 0 }) { try? await loop.sleep(.milliseconds(1)) }
    unsafe MHD_stop_daemon(daemon)
    unsafe daemon = nil
  }

  // MARK: On the library's thread

  private static let handle: MHD_AccessHandlerCallback = {
    user, connection, url, method, _, upload, uploadCount, slot in
    guard let slot = unsafe slot, let uploadCount = unsafe uploadCount else { return .NO }
    guard let known = unsafe slot.pointee else {
      // Released in `completed`.
      let exchange = unsafe ControlExchange(
        method: String(cString: method!), path: String(cString: url!),
        since: sinceArgument(connection))
      unsafe slot.pointee = Unmanaged.passRetained(exchange).toOpaque()
      return .YES
    }
    let exchange = unsafe Unmanaged<ControlExchange>.fromOpaque(known).takeUnretainedValue()
    if unsafe uploadCount.pointee > 0 {
      unsafe exchange.append(UnsafeRawBufferPointer(start: upload, count: uploadCount.pointee))
      unsafe uploadCount.pointee = 0
      return .YES
    }
    if let answer = exchange.answer { return unsafe queue(answer, connection) }
    let server = unsafe Unmanaged<ControlServer>.fromOpaque(user!).takeUnretainedValue()
    return unsafe server.ask(exchange, connection)
  }

  private static let completed: MHD_RequestCompletedCallback = { _, _, slot, _ in
    guard let known = unsafe slot?.pointee else { return }
    unsafe Unmanaged<ControlExchange>.fromOpaque(known).release()
  }

  private static func sinceArgument(_ connection: OpaquePointer?) -> String? {
    let value = unsafe MHD_lookup_connection_value(connection, .GET_ARGUMENT_KIND, "since")
    return unsafe value.map { unsafe String(cString: $0) }
  }

  private func ask(_ exchange: ControlExchange, _ connection: OpaquePointer?) -> MHD_Result {
    let isOpen = waiting.withLock { waiting in
      if waiting.isClosed { return false }
      waiting.count += 1
      return true
    }
    guard isOpen else { return .NO }
    unsafe MHD_suspend_connection(connection)
    let suspended = unsafe Suspended(connection: connection)
    loop.execute { [self] in
      exchange.finish(answer(exchange.request))
      unsafe MHD_resume_connection(suspended.connection)
      waiting.withLock { $0.count -= 1 }
    }
    return .YES
  }

  private static func queue(_ answer: ControlAnswer, _ connection: OpaquePointer?) -> MHD_Result {
    let response = unsafe answer.body.withUnsafeBytes { body in
      unsafe MHD_create_response_from_buffer(
        body.count, UnsafeMutableRawPointer(mutating: body.baseAddress), .RESPMEM_MUST_COPY)
    }
    defer { unsafe MHD_destroy_response(response) }
    unsafe MHD_add_response_header(response, "content-type", "application/json")
    return unsafe MHD_queue_response(connection, UInt32(answer.status), response)
  }
}

/// The library's connection on its way through the loop and back.
@safe private struct Suspended: @unchecked Sendable {
  let connection: OpaquePointer?
}

/// One request of the control port with its answer, between the two threads.
final class ControlExchange: Sendable {
  private let state: Guarded<State>

  private struct State {
    var request: ControlRequest
    var answer: ControlAnswer?
  }

  init(method: String, path: String, since: String?) {
    state = Guarded(State(request: ControlRequest(method: method, path: path, since: since)))
  }

  var request: ControlRequest { state.withLock { $0.request } }

  var answer: ControlAnswer? { state.withLock { $0.answer } }

  /// Rules are short: what is beyond a megabyte is dropped, and the JSON is then refused.
  func append(_ bytes: UnsafeRawBufferPointer) {
    let piece = unsafe Array(bytes)
    state.withLock { if $0.request.body.count < 1 << 20 { $0.request.body += piece } }
  }

  func finish(_ answer: ControlAnswer) { state.withLock { $0.answer = answer } }
}

struct ControlRequest: Sendable {
  let method: String
  let path: String
  let since: String?
  var body: [UInt8] = []
}

struct ControlAnswer: Sendable {
  var status = 200
  var body: [UInt8]

  init(status: Int = 200, _ body: [UInt8]) {
    self.status = status
    self.body = body + [UInt8(ascii: "\n")]
  }

  static let done = ControlAnswer(Array("{\"ok\":true}".utf8))

  static func wrong(_ status: Int, _ detail: String) -> ControlAnswer {
    var out = JSONLine()
    out.open()
    out.add("error", detail)
    out.close()
    return ControlAnswer(status: status, out.bytes)
  }
}
