internal import CLibuv

/// What a stream remembers of its writing.
struct StreamWriter {
  /// True while the loop is to call `turnEnds`.
  var isScheduled = false
  /// True when the owner has something to fill in.
  var wantsFill = false
  /// True while libuv holds bytes that the socket did not take.
  var isBlocked = false
  var closesWhenWritten = false
}

extension ByteStream: TurnEnd {
  /// Asks for a call of `streamFill` at the end of this turn, or as soon as the socket takes bytes.
  package func setNeedsFill() {
    writer.wantsFill = true
    scheduleFlush()
  }

  func scheduleFlush() {
    if writer.isScheduled || writer.isBlocked || isClosed { return }
    writer.isScheduled = true
    loop.markDirty(self)
  }

  package func turnEnds() {
    writer.isScheduled = false
    if isClosed || writer.isBlocked { return }
    let here = loop.here
    here.output.removeAll(keepingCapacity: true)
    if writer.wantsFill {
      writer.wantsFill = false
      owner?.streamFill(&here.output)
      if isClosed { return }
    }
    flush(here)
    if writer.closesWhenWritten && !writer.isBlocked { close() }
  }

  private func flush(_ here: LoopState) {
    guard let tls else {
      unsafe here.output.withUnsafeBufferPointer { unsafe send($0) }
      return
    }
    let error = tls.seal(
      here.output, saysGoodbye: writer.closesWhenWritten, into: &here.records)
    if let error { return end(error) }
    unsafe here.records.withUnsafeBufferPointer { unsafe send($0) }
  }

  private func send(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard !bytes.isEmpty, let raw = unsafe handle?.raw else { return }
    let sent = unsafe cuv_try_write(raw, bytes.baseAddress, bytes.count)
    if sent == bytes.count { return }
    if sent < 0 && sent != UV_EAGAIN.rawValue {
      return end(StreamError(.reset, libuvText(sent)))
    }
    let rest = unsafe UnsafeBufferPointer(rebasing: bytes[max(0, Int(sent))...])
    unsafe sendLater(rest, raw)
  }

  /// Copies what the socket did not take to memory that does not move, until it has gone.
  private func sendLater(_ bytes: UnsafeBufferPointer<UInt8>, _ raw: UnsafeMutableRawPointer) {
    let pending = unsafe PendingWrite(self, bytes)
    let user = unsafe Unmanaged.passRetained(pending).toOpaque()
    unsafe cuv_set_request_data(pending.request, user)
    writer.isBlocked = true
    let code = unsafe cuv_write(
      pending.request, raw, pending.bytes.baseAddress, pending.bytes.count
    ) { request, status in
      let user = unsafe cuv_request_data(request!)!
      let pending = unsafe Unmanaged<PendingWrite>.fromOpaque(user).takeRetainedValue()
      pending.stream?.pendingWritten(status)
    }
    if code != 0 {
      unsafe Unmanaged<PendingWrite>.fromOpaque(user).release()
      end(StreamError(.reset, libuvText(code)))
    }
  }

  private func pendingWritten(_ status: Int32) {
    writer.isBlocked = false
    if isClosed { return }
    if status != 0 { return end(StreamError(.reset, libuvText(status))) }
    if writer.closesWhenWritten && !writer.wantsFill { return close() }
    scheduleFlush()
  }
}

/// Bytes on their way, alive until libuv is done with them.
@safe private final class PendingWrite {
  weak var stream: ByteStream?
  let request = UnsafeMutablePointer<uv_write_t>.allocate(capacity: 1)
  let bytes: UnsafeMutableBufferPointer<UInt8>

  init(_ stream: ByteStream, _ source: UnsafeBufferPointer<UInt8>) {
    self.stream = stream
    unsafe bytes = .allocate(capacity: source.count)
    _ = unsafe bytes.initialize(from: source)
  }

  deinit {
    unsafe bytes.deallocate()
    unsafe request.deallocate()
  }
}
