internal import CNghttp2

/// What nghttp2 calls while it reads and writes for a `ServerConnection`.
///
/// Callbacks only fill the stream objects and tell the owner; nghttp2 allows submitting answers
/// from within, but not ending the session, which waits until it has returned.
enum ServerCallbacks {
  static func makeSession(for streams: ServerStreams) -> OpaquePointer? {
    var callbacks: OpaquePointer?
    unsafe nghttp2_session_callbacks_new(&callbacks)
    defer { unsafe nghttp2_session_callbacks_del(callbacks) }
    unsafe nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, beginHeaders)
    unsafe nghttp2_session_callbacks_set_on_header_callback(callbacks, header)
    unsafe nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, dataChunk)
    unsafe nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frameReceived)
    unsafe nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, streamClosed)
    unsafe nghttp2_session_callbacks_set_on_frame_send_callback(callbacks, frameSent)

    var option: OpaquePointer?
    unsafe nghttp2_option_new(&option)
    defer { unsafe nghttp2_option_del(option) }
    // PINGs are acknowledged by us, so that a test can leave it out.
    unsafe nghttp2_option_set_no_auto_ping_ack(option, 1)
    // Closed streams would be kept for a priority tree that nobody uses.
    unsafe nghttp2_option_set_no_closed_streams(option, 1)

    var session: OpaquePointer?
    let user = unsafe Unmanaged.passUnretained(streams).toOpaque()
    unsafe nghttp2_session_server_new2(&session, callbacks, user, option)
    return unsafe session
  }

  /// The callbacks run while the connection is in use, so nothing here is retained.
  private static func with<R>(
    _ user: UnsafeMutableRawPointer?, _ body: (ServerStreams) -> R
  ) -> R {
    unsafe Unmanaged<ServerStreams>.fromOpaque(user!)._withUnsafeGuaranteedRef(body)
  }

  private static func stream(_ session: OpaquePointer?, _ id: Int32) -> ServerStream? {
    guard let user = unsafe nghttp2_session_get_stream_user_data(session, id) else { return nil }
    return unsafe Unmanaged<ServerStream>.fromOpaque(user).takeUnretainedValue()
  }

  private static let beginHeaders: nghttp2_on_begin_headers_callback = { session, frame, user in
    guard unsafe frame!.pointee.headers.cat == NGHTTP2_HCAT_REQUEST else {
      unsafe with(user) { unsafe $0.reading = nil }  // a trailer: nobody asks for it
      return 0
    }
    let id = unsafe frame!.pointee.hd.stream_id
    let stream = unsafe with(user) { $0.begin(id) }
    unsafe nghttp2_session_set_stream_user_data(
      session, id, Unmanaged.passUnretained(stream).toOpaque())
    return 0
  }

  private static let header: nghttp2_on_header_callback = {
    _, _, name, nameCount, value, valueCount, _, user in
    let name = unsafe UnsafeBufferPointer(start: name, count: nameCount)
    let value = unsafe UnsafeBufferPointer(start: value, count: valueCount)
    unsafe with(user) {
      unsafe $0.reading?._withUnsafeGuaranteedRef { unsafe $0.append(name: name, value: value) }
    }
    return 0
  }

  private static let dataChunk: nghttp2_on_data_chunk_recv_callback = {
    session, _, id, bytes, count, user in
    guard let stream = unsafe nghttp2_session_get_stream_user_data(session, id) else { return 0 }
    let bytes = unsafe UnsafeBufferPointer(start: bytes, count: count)
    let limit = unsafe with(user) { $0.maximumBodyBytes }
    unsafe Unmanaged<ServerStream>.fromOpaque(stream)._withUnsafeGuaranteedRef {
      unsafe $0.append(body: bytes, limit: limit)
    }
    return 0
  }

  private static let frameReceived: nghttp2_on_frame_recv_callback = { session, frame, user in
    let head = unsafe frame!.pointee.hd
    switch UInt32(head.type) {
    case NGHTTP2_HEADERS.rawValue, NGHTTP2_DATA.rawValue:
      guard UInt32(head.flags) & NGHTTP2_FLAG_END_STREAM.rawValue != 0,
        let stream = unsafe stream(session, head.stream_id)
      else { break }
      unsafe with(user) { $0.complete(stream) }
    case NGHTTP2_PING.rawValue where UInt32(head.flags) & NGHTTP2_FLAG_ACK.rawValue == 0:
      let answers = unsafe with(user) { streams in
        streams.counts.pings += 1
        return streams.acknowledgesPings
      }
      guard answers else { break }
      unsafe withUnsafeBytes(of: frame!.pointee.ping.opaque_data) { data in
        _ = unsafe nghttp2_submit_ping(
          session, UInt8(NGHTTP2_FLAG_ACK.rawValue),
          data.baseAddress?.assumingMemoryBound(to: UInt8.self))
      }
    case NGHTTP2_RST_STREAM.rawValue:
      unsafe with(user) { $0.counts.resetsReceived += 1 }
    default: break
    }
    return 0
  }

  /// Counts resets here, since nghttp2 itself refuses streams above the limit.
  private static let frameSent: nghttp2_on_frame_send_callback = { _, frame, user in
    guard unsafe UInt32(frame!.pointee.hd.type) == NGHTTP2_RST_STREAM.rawValue else { return 0 }
    let isRefusal =
      unsafe frame!.pointee.rst_stream.error_code == NGHTTP2_REFUSED_STREAM.rawValue
    unsafe with(user) {
      if isRefusal { $0.counts.refused += 1 } else { $0.counts.resetsSent += 1 }
    }
    return 0
  }

  private static let streamClosed: nghttp2_on_stream_close_callback = { session, id, _, user in
    guard let stream = unsafe stream(session, id) else { return 0 }
    unsafe with(user) { $0.ended(stream) }
    return 0
  }

  static let readAnswer: nghttp2_data_source_read_callback = {
    _, _, buffer, room, flags, source, _ in
    let stream = unsafe Unmanaged<ServerStream>.fromOpaque(source!.pointee.ptr)
      .takeUnretainedValue()
    let count = min(room, stream.answer.count - stream.answerSent)
    unsafe stream.answer.withUnsafeBufferPointer { answer in
      unsafe buffer!.update(from: answer.baseAddress! + stream.answerSent, count: count)
    }
    stream.answerSent += count
    if stream.answerSent == stream.answer.count {
      unsafe flags!.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
    }
    return count
  }
}
