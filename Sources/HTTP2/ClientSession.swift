internal import CNghttp2

/// The HTTP/2 state of one client connection, without a socket: bytes in, bytes out.
///
/// It finds out what became of each request (RFC 9113 6.8, 8.7) and keeps it in `ended` until its
/// connection takes it, after nghttp2 has returned.
@safe final class ClientSession {
  struct GoAway {
    var lastStream: Int32
    var code: UInt32
    var debug: String
    /// Until the connection has seen it.
    var isNew: Bool
  }

  /// A turn's bytes; more waits until the socket has taken these.
  private static let fillLimit = 262_144

  private var raw: OpaquePointer?
  private let memory = SessionMemory()
  private let keptHeaders: [[UInt8]]
  private(set) var open: [ClientStream] = []
  private var spare: [ClientStream] = []
  /// Handed on while nghttp2 still holds them.
  private var abandoned: [ClientStream] = []
  /// Finished, not yet handed on.
  private var ended: [ClientStream?] = []
  var settingsArrived = false
  var goAway: GoAway?
  /// The stream whose header block is being read.
  var reading: Unmanaged<ClientStream>?
  /// The stream whose HEADERS nghttp2 gives out at this moment.
  private var leaving: Unmanaged<ClientStream>?
  private var frames = HeaderFrames()
  /// Stream ids ascend in the order HEADERS leave: what is above this has not left.
  private var highestSent: Int32 = 0
  private(set) var headersSent = 0

  /// `firstStream`: an odd stream id to begin with, for tests of their end.
  init(keptHeaders: [[UInt8]], firstStream: Int32 = 1) {
    self.keptHeaders = keptHeaders
    unsafe raw = ClientCallbacks.makeSession(for: self, memory)
    unsafe nghttp2_session_set_next_stream_id(raw, firstStream)
    var noPush = nghttp2_settings_entry(
      settings_id: Int32(NGHTTP2_SETTINGS_ENABLE_PUSH.rawValue), value: 0)
    unsafe nghttp2_submit_settings(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), &noPush, 1)
  }

  deinit { unsafe nghttp2_session_del(raw) }

  /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS.
  var peerStreams: UInt32 {
    unsafe nghttp2_session_get_remote_settings(raw, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
  }

  var wantsWrite: Bool { unsafe nghttp2_session_want_write(raw) != 0 }

  var hasEnded: Bool { !ended.isEmpty }

  /// True when neither side has anything to say any more.
  var isOver: Bool { unsafe nghttp2_session_want_read(raw) == 0 && !wantsWrite }

  // MARK: Requests

  /// False when the connection has no stream id left (2^31-1, RFC 9113 5.1.1).
  func start(_ request: PoolRequest, deadline: Int64) -> Bool {
    let stream = spare.popLast() ?? ClientStream()
    stream.begin(request, deadline: deadline)
    let user = unsafe Unmanaged.passUnretained(stream).toOpaque()
    var source = unsafe nghttp2_data_provider()
    unsafe source.source.ptr = user
    unsafe source.read_callback = ClientCallbacks.readBody
    let hasBody = !request.body.isEmpty
    // Without fields: `frames` writes them.
    let id = unsafe withUnsafePointer(to: &source) { source in
      unsafe nghttp2_submit_request(raw, nil, nil, 0, hasBody ? source : nil, user)
    }
    guard id > 0 else { return false }
    stream.id = id
    stream.place = open.count
    open.append(consume stream)
    if request.headers.bytes.count > HeaderFrames.longestBlock {
      cancel(open[open.count - 1], RequestTrouble(.refused, "the header fields are too long"))
    }
    return true
  }

  /// Ends a request from our side: RST_STREAM, or nothing at all when it has not left.
  func cancel(_ stream: ClientStream, _ trouble: RequestTrouble) {
    unsafe nghttp2_submit_rst_stream(
      raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, NGHTTP2_CANCEL.rawValue)
    finish(stream, code: NGHTTP2_CANCEL.rawValue, trouble)
  }

  /// Takes back what has not left yet.
  func cancelUnsent(_ trouble: RequestTrouble) {
    for stream in open where stream.id > highestSent { cancel(stream, trouble) }
  }

  /// The connection is gone: every request ends.
  func connectionLost(_ trouble: RequestTrouble) {
    for stream in open { finish(stream, code: NGHTTP2_NO_ERROR.rawValue, trouble) }
  }

  // MARK: Frames

  /// Takes bytes from the peer; false when it does not speak HTTP/2.
  func receive(_ bytes: Span<UInt8>) -> Bool {
    unsafe bytes.withUnsafeBufferPointer {
      unsafe nghttp2_session_mem_recv(raw, $0.baseAddress, $0.count) >= 0
    }
  }

  /// Appends what is to be sent now; false when nghttp2 failed.
  func fill(_ output: inout [UInt8]) -> Bool {
    var piece: UnsafePointer<UInt8>?
    while output.count < Self.fillLimit {
      let count = unsafe nghttp2_session_mem_send(raw, &piece)
      if count <= 0 { return count == 0 }
      let bytes = unsafe UnsafeBufferPointer(start: piece, count: count)
      guard let stream = unsafe leaving else {
        unsafe output.append(contentsOf: bytes)
        continue
      }
      unsafe leaving = nil
      let isRequest = unsafe stream._withUnsafeGuaranteedRef { stream in
        // Taken out meanwhile: to read it where it is would count one more owner.
        guard let request = stream.request.take() else { return false }
        unsafe frames.append(bytes.span, request.headers, to: &output)
        stream.request = consume request
        return true
      }
      if !isRequest { return false }
    }
    return true
  }

  func ping() { unsafe nghttp2_submit_ping(raw, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil) }

  /// Says GOAWAY; nothing else follows it.
  func sayGoodbye() { unsafe nghttp2_session_terminate_session(raw, NGHTTP2_NO_ERROR.rawValue) }

  // MARK: Called back by nghttp2

  /// The next bytes that nghttp2 gives out are the HEADERS of this stream.
  func headersLeave(_ stream: Unmanaged<ClientStream>, _ id: Int32) {
    unsafe leaving = stream
    highestSent = id
    headersSent += 1
  }

  func headerArrived(_ name: Span<UInt8>, _ value: Span<UInt8>, for stream: ClientStream) {
    if name[0] == UInt8(ascii: ":") {
      // The only pseudo header of a response is `:status`; nghttp2 has checked its three digits.
      let status = decimal(value)
      if status >= 200 { stream.response.status = status }
      return
    }
    for kept in keptHeaders where equal(name, kept) { stream.response.keep(kept, value) }
  }

  func streamClosed(_ stream: ClientStream, code: UInt32) {
    finish(stream, code: code, nil)
    stream.isReleased = true
    unsafe reading = nil
    if stream.isAbandoned { takeBack(stream) }
  }

  /// nghttp2 has let go of it after all.
  private func takeBack(_ stream: ClientStream) {
    stream.isAbandoned = false
    // The rest of a frame may have come after its outcome was told.
    _ = stream.takeResponse()
    spare.append(stream)
    guard let last = abandoned.popLast(), last !== stream else { return }
    abandoned[stream.place] = last
    last.place = stream.place
  }

  // MARK: Outcomes

  private func finish(_ stream: ClientStream, code: UInt32, _ trouble: RequestTrouble?) {
    if stream.isFinished { return }
    stream.isFinished = true
    stream.code = code
    if let trouble { stream.trouble = trouble }
    stream.wasSent = stream.id <= highestSent
    // It moves from one row to the other, so that no owner is counted.
    var last = open.removeLast()
    if last !== stream {
      last.place = stream.place
      swap(&last, &open[stream.place])
    }
    ended.append(consume last)
  }

  /// Says of each ended stream what became of it, and makes its object free again.
  func takeEnded(_ body: (ClientStream, consuming RequestOutcome) -> Void) {
    var index = 0
    while index < ended.count {
      if let stream = ended[index].take() {
        body(stream, outcome(of: stream))
        stream.request = nil
        if stream.isReleased { spare.append(consume stream) } else { abandon(consume stream) }
      }
      index += 1
    }
    ended.removeAll(keepingCapacity: true)
  }

  private func abandon(_ stream: consuming ClientStream) {
    stream.isAbandoned = true
    stream.place = abandoned.count
    abandoned.append(stream)
  }

  private func outcome(of stream: ClientStream) -> RequestOutcome {
    let response = stream.takeResponse()
    if response.status > 0 { return .answered(response) }
    if let goAway, stream.id > goAway.lastStream {
      return .neverSent(RequestTrouble(.goAway, goAway.debug))
    }
    if !stream.wasSent { return .neverSent(stream.trouble ?? RequestTrouble(.closed, "not sent")) }
    if let trouble = stream.trouble { return .unknown(trouble) }
    if stream.code == NGHTTP2_REFUSED_STREAM.rawValue {
      return .neverSent(RequestTrouble(.refused, "REFUSED_STREAM"))
    }
    return .unknown(RequestTrouble(.reset, errorName(stream.code)))
  }
}

/// RFC 9113 7: the peer has too much of something.
let enhanceYourCalm = NGHTTP2_ENHANCE_YOUR_CALM.rawValue

/// RFC 9113's name of an error code, for logs.
func errorName(_ code: UInt32) -> String { unsafe String(cString: nghttp2_http2_strerror(code)) }

private func decimal(_ digits: Span<UInt8>) -> Int {
  var value = 0
  for index in digits.indices { value = value * 10 + Int(digits[index] &- UInt8(ascii: "0")) }
  return value
}
