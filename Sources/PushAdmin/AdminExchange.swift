internal import CMicrohttpd

/// One request; owned by its connection from the first callback to `completed`.
///
/// Its variables are touched under the server's lock.
@safe final class AdminExchange: @unchecked Sendable {
  let connection: OpaquePointer
  var reply: AdminReply?

  init(_ connection: OpaquePointer) { unsafe self.connection = connection }
}

/// Hands a reply to libmicrohttpd, which copies it.
func queue(_ reply: AdminReply, on connection: OpaquePointer) -> MHD_Result {
  var body = reply.body
  let made = unsafe body.withUnsafeMutableBytes {
    unsafe MHD_create_response_from_buffer($0.count, $0.baseAddress, .RESPMEM_MUST_COPY)
  }
  guard let response = unsafe made else { return .NO }
  defer { unsafe MHD_destroy_response(response) }
  unsafe MHD_add_response_header(response, "Content-Type", reply.contentType)
  unsafe MHD_add_response_header(response, "Cache-Control", "no-store")
  unsafe MHD_add_response_header(response, "X-Content-Type-Options", "nosniff")
  if let allow = reply.allow { unsafe MHD_add_response_header(response, "Allow", allow) }
  return unsafe MHD_queue_response(connection, reply.status, response)
}
