internal import CNghttp2
package import LoopIO
import SharedState

/// Who receives the requests of one connection, which holds it until the end. Called on the
/// loop's thread.
package protocol ServerConnectionOwner: AnyObject {
  /// A request is whole: answer it now, later, or never.
  func requestArrived(_ stream: ServerStream)
  /// The peer took the request back, or the connection ended, before it was answered.
  func requestWithdrawn(_ stream: ServerStream)
  /// Once, when the connection is gone.
  func connectionEnded()
}

/// The server's side of one HTTP/2 connection (RFC 9113) over a byte stream.
///
/// Requests go to the owner, whole; answers leave at the end of the loop's turn. What a client
/// must survive can be done to it here: GOAWAY, resets, other settings, silence.
@safe package final class ServerConnection {
  package struct Options: Sendable {
    /// SETTINGS_MAX_CONCURRENT_STREAMS at the start.
    package var maxConcurrentStreams: UInt32 = 1_000
    /// What is kept of a body; the rest is counted and dropped.
    package var maximumBodyBytes = 1 << 20

    package init() {}
  }

  /// What happened on the connection so far.
  package struct Counts: Sendable {
    package var streamsHighWater = 0
    package var goAways = 0
    package var pings = 0
    package var resetsSent = 0
    package var resetsReceived = 0
    package var refused = 0

    package init() {}
  }

  /// The value last put into SETTINGS_MAX_CONCURRENT_STREAMS.
  package private(set) var maxConcurrentStreams: UInt32
  /// When the bytes under way were read from the socket, in nanoseconds of the monotonic clock.
  package private(set) var readAt: Int64 = 0
  package let stream: ByteStream

  private var session: OpaquePointer?
  /// Holds the owner until the connection is gone.
  private let streams: ServerStreams
  private var isReading = false
  private var isDeaf = false
  private var isReceiving = false
  private var closesAfterReading = false

  /// Takes over a stream on which ALPN chose h2 (or on which the peer knows it), and starts it.
  package init(_ stream: ByteStream, owner: any ServerConnectionOwner, options: Options) {
    self.stream = stream
    streams = ServerStreams(owner: owner, maximumBodyBytes: options.maximumBodyBytes)
    maxConcurrentStreams = options.maxConcurrentStreams
    unsafe session = ServerCallbacks.makeSession(for: streams)
    submit([
      (UInt16(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), options.maxConcurrentStreams)
    ])
    // A connection window of 64 KB would want an update every hundred requests.
    unsafe nghttp2_session_set_local_window_size(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), 0, 1 << 24)
    stream.owner = self
    stream.setNeedsFill()
  }

  deinit {
    if let session = unsafe session { unsafe nghttp2_session_del(session) }
  }

  package var counts: Counts { streams.counts }

  /// False: PINGs of the peer stay without their acknowledgement.
  package var acknowledgesPings: Bool {
    get { streams.acknowledgesPings }
    set { streams.acknowledgesPings = newValue }
  }

  /// Requests that have begun and are not over.
  package var openStreams: Int { streams.openCount }

  package var isOpen: Bool { unsafe session != nil }

  // MARK: Answers

  /// Sends the head and the body, and ends the stream: without a body the HEADERS frame ends it.
  package func answer(_ stream: ServerStream, _ head: borrowing HeaderBlock, body: [UInt8] = []) {
    guard let session = unsafe session, stream.awaitsAnswer else { return }
    stream.awaitsAnswer = false
    if body.isEmpty {
      unsafe head.withPairs { pairs, count in
        _ = unsafe nghttp2_submit_response(session, stream.id, pairs, count, nil)
      }
    } else {
      stream.answer = body
      var source = unsafe nghttp2_data_provider()
      unsafe source.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
      unsafe source.read_callback = ServerCallbacks.readAnswer
      unsafe head.withPairs { pairs, count in
        _ = unsafe nghttp2_submit_response(session, stream.id, pairs, count, &source)
      }
    }
    setNeedsFill()
  }

  /// RST_STREAM instead of an answer. `refused` says that nothing was processed (RFC 9113 8.7).
  package func reset(_ stream: ServerStream, refused: Bool) {
    guard let session = unsafe session, stream.isOpen else { return }
    stream.awaitsAnswer = false
    let code = refused ? NGHTTP2_REFUSED_STREAM : NGHTTP2_INTERNAL_ERROR
    unsafe nghttp2_submit_rst_stream(
      session, UInt8(NGHTTP2_FLAG_NONE.rawValue), stream.id, code.rawValue)
    setNeedsFill()
  }

  // MARK: The connection as a whole

  /// Announces settings; nil leaves one as it is.
  package func change(maxConcurrentStreams: UInt32? = nil, initialWindowSize: UInt32? = nil) {
    var entries: [(UInt16, UInt32)] = []
    if let maxConcurrentStreams {
      self.maxConcurrentStreams = maxConcurrentStreams
      entries.append(
        (UInt16(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS.rawValue), maxConcurrentStreams))
    }
    if let initialWindowSize {
      entries.append((UInt16(NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE.rawValue), initialWindowSize))
    }
    submit(entries)
    setNeedsFill()
  }

  /// The request is processed, though its answer may come later.
  package func takes(_ stream: ServerStream) {
    streams.highestTaken = max(streams.highestTaken, stream.id)
  }

  /// GOAWAY: streams above the id that it names were not processed, the others still get their
  /// answers. The connection closes when these are out.
  /// - Parameter last: named unless a higher one has been taken.
  /// - Returns: what was named; a stream up to it that shall not be processed must be refused.
  @discardableResult
  package func goAway(last: Int32, debugData: [UInt8]) -> Int32 {
    guard let session = unsafe session else { return .max }
    streams.counts.goAways += 1
    // An id once named never grows (RFC 9113 6.8); nghttp2 knows only of those that have left.
    streams.lastProcessed = min(streams.lastProcessed, max(last, streams.highestTaken))
    let last = streams.lastProcessed
    unsafe debugData.withUnsafeBufferPointer { data in
      _ = unsafe nghttp2_submit_goaway(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), last, NGHTTP2_NO_ERROR.rawValue,
        data.baseAddress, data.count)
    }
    setNeedsFill()
    return last
  }

  /// From now on nothing is read from the peer and nothing written to it; the socket stays open.
  package func goSilent() { isDeaf = true }

  /// Ends the connection at once, without GOAWAY.
  package func close() {
    guard !isReceiving else {
      closesAfterReading = true
      return
    }
    guard unsafe session != nil else { return }
    stream.close()
    end()
  }

  private func submit(_ entries: [(UInt16, UInt32)]) {
    guard let session = unsafe session, !entries.isEmpty else { return }
    let settings = entries.map { nghttp2_settings_entry(settings_id: Int32($0.0), value: $0.1) }
    unsafe settings.withUnsafeBufferPointer { settings in
      _ = unsafe nghttp2_submit_settings(
        session, UInt8(NGHTTP2_FLAG_NONE.rawValue), settings.baseAddress, settings.count)
    }
  }

  private func setNeedsFill() {
    // After a read everything goes out together.
    if !isReceiving { stream.setNeedsFill() }
  }

  private func end() {
    guard let session = unsafe session else { return }
    unsafe self.session = nil
    unsafe nghttp2_session_del(session)
    streams.endAll()
  }
}

extension ServerConnection: ByteStreamOwner {
  package func streamRead(_ bytes: Span<UInt8>) {
    guard let session = unsafe session, !isDeaf else { return }
    readAt = SystemClock().monotonic()
    isReceiving = true
    let result = unsafe bytes.withUnsafeBufferPointer {
      unsafe nghttp2_session_mem_recv(session, $0.baseAddress, $0.count)
    }
    isReceiving = false
    // Only what nghttp2 cannot answer with a GOAWAY of its own is negative here, such as a peer
    // that speaks HTTP/1.1.
    if result < 0 || closesAfterReading { return close() }
    stream.setNeedsFill()
  }

  package func streamFill(_ output: inout [UInt8]) {
    startReading()
    guard let session = unsafe session, !isDeaf else { return }
    var piece: UnsafePointer<UInt8>?
    while output.count < 256 * 1024 {
      let count = unsafe nghttp2_session_mem_send(session, &piece)
      guard count > 0 else { return finishFilling(failed: count < 0) }
      unsafe output.append(contentsOf: UnsafeBufferPointer(start: piece, count: count))
    }
    stream.setNeedsFill()
  }

  /// At the end of the turn in which the connection was made: requests that came with the last
  /// packet of the handshake would else reach an owner whose connection is not there yet.
  private func startReading() {
    if isReading { return }
    isReading = true
    stream.startReading()
  }

  private func finishFilling(failed: Bool) {
    guard let session = unsafe session else { return }
    let isOver =
      unsafe nghttp2_session_want_read(session) == 0
      && nghttp2_session_want_write(session) == 0
    guard failed || isOver else { return }
    // Written first, then closed: else the GOAWAY of this very turn is lost.
    stream.closeAfterFlush()
    end()
  }

  package func streamClosed(_ error: StreamError?) { end() }
}
