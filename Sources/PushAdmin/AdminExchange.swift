internal import CMicrohttpd
internal import Glibc

/// One request; owned by its connection from the first callback to `completed`.
///
/// `reply` is touched under the server's lock, the rest on libmicrohttpd's thread alone.
@safe final class AdminExchange: @unchecked Sendable {
  let connection: OpaquePointer
  var reply: AdminReply?
  private(set) var body: [UInt8] = []
  private var received = 0

  /// No call of the API is longer.
  static let maximumBody = 65_536
  /// More than this is not even thrown away.
  private static let maximumReceived = 1_048_576

  init(_ connection: OpaquePointer) { unsafe self.connection = connection }

  var isTooLarge: Bool { received > Self.maximumBody }

  /// False when the client is not worth listening to any longer.
  func receive(_ piece: UnsafeBufferPointer<UInt8>) -> Bool {
    received += piece.count
    if isTooLarge { body = [] } else { unsafe body.append(contentsOf: piece) }
    return received <= Self.maximumReceived
  }

  /// The request, when it is whole.
  func request(method: String, path: String) -> AdminRequest {
    var request = AdminRequest()
    request.method = method
    request.path = path
    request.body = body
    request.host = header("Host")
    request.authorization = header("Authorization")
    request.contentType = header("Content-Type")
    request.origin = header("Origin")
    request.fetchSite = header("Sec-Fetch-Site")
    request.query = query
    request.peer = peer
    return request
  }

  private func header(_ name: String) -> String? {
    unsafe MHD_lookup_connection_value(connection, .HEADER_KIND, name).map {
      unsafe String(cString: $0)
    }
  }

  private var query: [String: String] {
    var values: [String: String] = [:]
    unsafe withUnsafeMutablePointer(to: &values) { values in
      let collect: MHD_KeyValueIterator = { values, _, name, value in
        guard let values = unsafe values, let name = unsafe name else { return .YES }
        let all = unsafe values.assumingMemoryBound(to: [String: String].self)
        unsafe all.pointee[String(cString: name)] =
          unsafe value.map { unsafe String(cString: $0) } ?? ""
        return .YES
      }
      unsafe MHD_get_connection_values(connection, .GET_ARGUMENT_KIND, collect, values)
    }
    return values
  }

  /// The address of the client; empty when it is not known.
  private var peer: String {
    guard let name = unsafe cmhd_peer(connection) else { return "" }
    let isV6 = unsafe Int32(name.pointee.sa_family) == AF_INET6
    let size = isV6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    var text = [CChar](repeating: 0, count: 64)
    let code = unsafe getnameinfo(
      name, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST)
    guard code == 0 else { return "" }
    return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }
}

/// Hands a reply to libmicrohttpd, which copies it.
func queue(_ reply: AdminReply, on connection: OpaquePointer) -> MHD_Result {
  var body = reply.body
  let made = unsafe body.withUnsafeMutableBytes {
    unsafe MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
  }
  guard let response = unsafe made else { return .NO }
  defer { unsafe MHD_destroy_response(response) }
  var headers = [
    ("Content-Type", reply.contentType), ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"), ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Content-Security-Policy", AdminRoute.contentPolicy),
  ]
  if let allow = reply.allow { headers.append(("Allow", allow)) }
  if reply.status == 401 { headers.append(("WWW-Authenticate", "Bearer")) }
  for (name, value) in headers { unsafe MHD_add_response_header(response, name, value) }
  return unsafe MHD_queue_response(connection, reply.status, response)
}
