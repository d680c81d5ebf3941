package import LoopIO

/// Gives each of two streams what the other reads, until one of them ends.
package final class RelayedPair {
  private final class Side: ByteStreamOwner {
    let stream: ByteStream
    var outgoing: [UInt8] = []
    unowned let pair: RelayedPair

    init(_ stream: ByteStream, _ pair: RelayedPair) {
      self.stream = stream
      self.pair = pair
    }

    func streamRead(_ bytes: Span<UInt8>) {
      pair.bytes += bytes.count
      if pair.isSilent { return }
      let other = pair.other(than: self)
      for index in bytes.indices { other?.outgoing.append(bytes[index]) }
      other?.stream.setNeedsFill()
    }

    func streamFill(_ output: inout [UInt8]) {
      output += outgoing
      outgoing.removeAll()
    }

    func streamClosed(_ error: StreamError?) { pair.ended(self) }
  }

  private var near: Side?
  private var far: Side?
  /// Passes nothing on any more, not even an end: what a firewall does that forgot a connection.
  package var isSilent = false
  /// Read from both sides.
  package private(set) var bytes = 0
  package var isOpen: Bool { near != nil && far != nil }

  package init(_ near: ByteStream, _ far: ByteStream) {
    self.near = Side(near, self)
    self.far = Side(far, self)
    for side in [self.near, self.far] {
      side?.stream.owner = side
      side?.stream.startReading()
    }
  }

  private func other(than side: Side) -> Side? { side === near ? far : near }

  private func ended(_ side: Side) {
    if isSilent { return }
    other(than: side)?.stream.closeAfterFlush()
    (near, far) = (nil, nil)
  }

  package func close() {
    near?.stream.close()
    far?.stream.close()
    (near, far) = (nil, nil)
  }
}

/// A TCP forwarder to a port of this machine, which can go silent.
package final class Relay {
  private var listener: StreamListener?
  package private(set) var pairs: [RelayedPair] = []
  /// When somebody connected.
  package private(set) var connects: [ContinuousClock.Instant] = []
  /// Where new connections lead.
  package var target: Int
  /// What a new connection meets in place of the target; nil = it leads there.
  package var instead: ((ByteStream) -> Void)?
  package var port: Int { listener?.port ?? 0 }

  /// - Parameter port: where it listens; 0 = at a port of its own.
  package init(on loop: Loop, to target: Int, at port: Int = 0) throws {
    self.target = target
    listener = try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: port)) {
      [unowned self] near in
      connects.append(.now)
      if let instead { return instead(near) }
      forward(near, to: self.target, on: loop) { [unowned self] in pairs.append($0) }
    }
  }

  /// The connections of this moment are forgotten; new ones are well.
  package func blackHole() { for pair in pairs { pair.isSilent = true } }

  package func close() {
    listener?.close()
    listener = nil
    for pair in pairs { pair.close() }
  }

  deinit { close() }
}

/// Connects `near` to a port and relays; closes it when that fails.
func forward(
  _ near: ByteStream, to port: Int, on loop: Loop, _ made: @escaping (RelayedPair) -> Void
) {
  let box = UncheckedBox((near, made))
  // Ends with the connect, which is to this machine.
  Task(executorPreference: loop) {
    let far = try? await ByteStream.connect(
      to: .tcp(host: "127.0.0.1", port: port), on: loop, timeout: .seconds(10))
    guard let far else { return box.value.0.close() }
    box.value.1(RelayedPair(box.value.0, far))
  }
}
