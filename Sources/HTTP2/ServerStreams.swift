/// The streams of one server connection, and what nghttp2's callbacks fill.
///
/// It is an object of its own since the connection has weak references to it, and each of its
/// retains and releases would then take the slow way (measured: a tenth of a request).
@safe final class ServerStreams {
  let maximumBodyBytes: Int
  var owner: (any ServerConnectionOwner)?
  var counts = ServerConnection.Counts()
  /// False: PINGs of the peer stay without their acknowledgement.
  var acknowledgesPings = true
  /// The least id that a GOAWAY has named: streams above it are not processed, also those that were
  /// read together with the one that caused it.
  var lastProcessed = Int32.max
  /// The highest that was processed: no GOAWAY may name less (RFC 9113 6.8), or the peer would send
  /// again what was taken. Bodies need not end in the order of their ids.
  var highestTaken: Int32 = 0
  /// The one whose header block is being read; `all` holds it.
  var reading: Unmanaged<ServerStream>?

  /// Every stream object ever made here; the free ones also stand in `spare`.
  private var all: [ServerStream] = []
  private var spare: [ServerStream] = []

  init(owner: any ServerConnectionOwner, maximumBodyBytes: Int) {
    self.owner = owner
    self.maximumBodyBytes = maximumBodyBytes
  }

  /// Streams that have begun and are not over.
  var openCount: Int { all.count - spare.count }

  func begin(_ id: Int32) -> ServerStream {
    let stream = spare.popLast() ?? make()
    stream.begin(id: id)
    unsafe reading = Unmanaged.passUnretained(stream)
    counts.streamsHighWater = max(counts.streamsHighWater, openCount)
    return stream
  }

  private func make() -> ServerStream {
    let stream = ServerStream()
    all.append(stream)
    return stream
  }

  func complete(_ stream: ServerStream) {
    guard stream.id <= lastProcessed else { return }
    stream.awaitsAnswer = true
    owner?.requestArrived(stream)
  }

  func ended(_ stream: ServerStream) {
    stream.isOpen = false
    spare.append(stream)
    guard stream.awaitsAnswer else { return }
    stream.awaitsAnswer = false
    owner?.requestWithdrawn(stream)
  }

  /// The connection is gone.
  func endAll() {
    for stream in all where stream.isOpen { ended(stream) }
    let owner = owner
    self.owner = nil
    owner?.connectionEnded()
  }
}
