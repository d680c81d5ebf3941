internal import CNghttp2

/// What nghttp2 calls while it reads and writes for a `ClientSession`. Callbacks mark and append
/// only: nothing is answered, closed or resumed before nghttp2 has returned.
enum ClientCallbacks {
  /// - Parameter memory: must live longer than the session.
  static func makeSession(
    for session: ClientSession, _ memory: SessionMemory
  ) -> OpaquePointer? {
    var callbacks: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    defer { unsafe nghttp2_session_callbacks_del(callbacks) }
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginHeaders)
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, header)
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataChunk)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameReceived)
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameSent)
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    var raw: OpaquePointer?
    let user = unsafe Unmanaged.passUnretained(session).toOpaque()
    var functions = unsafe memory.functions
    unsafe nghttp2_session_client_new3(&raw, callbacks, user, nil, &functions)
    return unsafe raw
  }

  /// Both live longer than any call of nghttp2, so no callback counts a reference to them.
  private static func session(_ user: UnsafeMutableRawPointer?) -> Unmanaged<ClientSession> {
    unsafe Unmanaged.fromOpaque(user!)
  }

  private static func stream(_ session: OpaquePointer?, _ id: Int32) -> Unmanaged<ClientStream>? {
    guard let user = unsafe nghttp2_session_get_stream_user_data(session, id) else { return nil }
    return unsafe Unmanaged.fromOpaque(user)
  }

  private static let beginHeaders: nghttp2_on_begin_headers_callback = { raw, frame, user in
    let stream = unsafe stream(raw, frame!.pointee.hd.stream_id)
    unsafe session(user)._withUnsafeGuaranteedRef { unsafe $0.reading = stream }
    return 0
  }

  private static let header: nghttp2_on_header_callback = {
    _, _, name, nameCount, value, valueCount, _, user in
    let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
    let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
    unsafe session(user)._withUnsafeGuaranteedRef { session in
      unsafe session.reading?._withUnsafeGuaranteedRef { stream in
        unsafe session.headerArrived(name.span, value.span, for: stream)
      }
    }
    return 0
  }

  private static let dataChunk: nghttp2_on_data_chunk_recv_callback = {
    raw, _, id, bytes, count, _ in
    let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count)
    unsafe stream(raw, id)?._withUnsafeGuaranteedRef { unsafe $0.response.appendBody(bytes.span) }
    return 0
  }

  private static let frameReceived: nghttp2_on_frame_recv_callback = { _, frame, user in
    let head = unsafe frame!.pointee.hd
    let isAck = head.flags & UInt8(NGHTTP2_FLAG_ACK.rawValue) != 0
    switch UInt32(head.type) {
    case NGHTTP2_SETTINGS.rawValue where !isAck:
      unsafe session(user)._withUnsafeGuaranteedRef { $0.settingsArrived = true }
    case NGHTTP2_GOAWAY.rawValue:
      let goAway = unsafe frame!.pointee.goaway
      let debug = unsafe UnsafeBufferPointer(
        start: goAway.opaque_data, count: min(goAway.opaque_data_len, 256))
      let heard = unsafe ClientSession.GoAway(
        lastStream: goAway.last_stream_id, code: goAway.error_code,
        debug: String(decoding: debug, as: UTF8.self), isNew: true)
      unsafe session(user)._withUnsafeGuaranteedRef { $0.goAway = heard }
    default: break
    }
    return 0
  }

  private static let frameSent: nghttp2_on_frame_send_callback = { raw, frame, user in
    let head = unsafe frame!.pointee.hd
    if UInt32(head.type) == NGHTTP2_HEADERS.rawValue {
      guard let stream = unsafe stream(raw, head.stream_id) else { return 0 }
      unsafe session(user)._withUnsafeGuaranteedRef {
        unsafe $0.headersLeave(stream, head.stream_id)
      }
    }
    return 0
  }

  private static let streamClosed: nghttp2_on_stream_close_callback = { raw, id, code, user in
    guard let stream = unsafe stream(raw, id) else { return 0 }
    unsafe session(user)._withUnsafeGuaranteedRef { session in
      unsafe stream._withUnsafeGuaranteedRef { session.streamClosed($0, code: code) }
    }
    return 0
  }

  static let readBody: nghttp2_data_source_read_callback = {
    _, _, buffer, room, flags, source, _ in
    let stream = unsafe Unmanaged<ClientStream>.fromOpaque(source!.pointee.ptr)
    return unsafe stream._withUnsafeGuaranteedRef { stream in
      guard !stream.isFinished, let buffer = unsafe buffer,
        let count = unsafe stream.copyBody(to: buffer, room: room)
      else { return Int(NGHTTP2_ERR_TEMPORAL_CALLBACK_FAILURE.rawValue) }
      if stream.isBodySent { unsafe flags!.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue) }
      return count
    }
  }
}
