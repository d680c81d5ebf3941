import LoopIO
import TestSupport

/// A forwarder between a worker and Redis that loses what Redis says, as a network does: the
/// connections stay open. Used on its loop only.
final class LossyRelay {
  private let loop: Loop
  private let target: Endpoint
  private var listener: StreamListener?
  private var links: [Link] = []
  private let mark: [UInt8]
  /// True from the moment at which the mark would have gone by until `heal`.
  private(set) var isLosing = false
  private var hasHealed = false

  var url: String { "redis://127.0.0.1:\(listener?.port ?? 0)" }

  /// From the first bytes of Redis with this text on, nothing of Redis arrives any more.
  init(on loop: Loop, to target: Endpoint, losingFrom mark: String) throws {
    self.loop = loop
    self.target = target
    self.mark = Array(mark.utf8)
    listener = try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0)) {
      [unowned self] stream in
      let box = UncheckedBox((self, stream))
      // Nobody waits for it: it ends with the relay's loop at the latest.
      Task(executorPreference: self.loop) { await box.value.0.join(box.value.1) }
    }
  }

  private func join(_ worker: ByteStream) async {
    guard
      let redis = try? await ByteStream.connect(to: target, on: loop, timeout: .seconds(5))
    else { return worker.close() }
    links.append(Link(worker, redis, self))
  }

  /// Lets everything pass again; what was open is closed, since bytes of it are missing.
  func heal() {
    isLosing = false
    hasHealed = true
    for link in links { link.close() }
    links = []
  }

  func stop() {
    heal()
    listener?.close()
    listener = nil
  }

  fileprivate func loses(_ bytes: [UInt8]) -> Bool {
    if !hasHealed, !isLosing, bytes.firstRange(of: mark) != nil { isLosing = true }
    return isLosing
  }
}

/// One connection through the relay.
private final class Link {
  private let worker: ByteStream
  private let redis: ByteStream
  private let ways: [Way]

  init(_ worker: ByteStream, _ redis: ByteStream, _ relay: LossyRelay) {
    self.worker = worker
    self.redis = redis
    let up = Way(to: redis) { _ in false }
    let down = Way(to: worker) { [unowned relay] in relay.loses($0) }
    up.back = down
    down.back = up
    ways = [up, down]
    worker.owner = up
    redis.owner = down
    worker.startReading()
    redis.startReading()
  }

  func close() {
    worker.close()
    redis.close()
  }
}

/// What comes from one side and goes to the other. It owns the side that it reads, and fills that
/// side with what the other way has brought.
private final class Way: ByteStreamOwner {
  private let sink: ByteStream
  private let isLost: ([UInt8]) -> Bool
  private var waiting: [UInt8] = []
  weak var back: Way?

  init(to sink: ByteStream, isLost: @escaping ([UInt8]) -> Bool) {
    self.sink = sink
    self.isLost = isLost
  }

  func streamRead(_ bytes: Span<UInt8>) {
    let bytes = bytes.indices.map { bytes[$0] }
    if isLost(bytes) { return }
    waiting += bytes
    sink.setNeedsFill()
  }

  func streamFill(_ output: inout [UInt8]) {
    guard let back else { return }
    output += back.waiting
    back.waiting = []
  }

  func streamClosed(_ error: StreamError?) { sink.close() }
}
