import LoopIO

/// Sends back what it reads, and ends when the peer ends.
final class Echo: ByteStreamOwner {
  private let stream: ByteStream
  private var pending: [UInt8] = []

  init(_ stream: ByteStream) { self.stream = stream }

  func streamRead(_ bytes: Span<UInt8>) {
    for index in bytes.indices { pending.append(bytes[index]) }
    stream.setNeedsFill()
  }

  func streamFill(_ output: inout [UInt8]) {
    output += pending
    pending.removeAll()
  }

  func streamClosed(_ error: StreamError?) {}
}

/// Collects what arrives and how the stream ended.
final class Collector: ByteStreamOwner {
  let stream: ByteStream
  var received: [UInt8] = []
  var outgoing: [UInt8] = []
  var fills = 0
  var ended: StreamError??

  init(_ stream: ByteStream) {
    self.stream = stream
    stream.owner = self
    stream.startReading()
  }

  func send(_ bytes: [UInt8]) {
    outgoing += bytes
    stream.setNeedsFill()
  }

  func streamRead(_ bytes: Span<UInt8>) {
    for index in bytes.indices { received.append(bytes[index]) }
  }

  func streamFill(_ output: inout [UInt8]) {
    fills += 1
    output += outgoing
    outgoing.removeAll()
  }

  func streamClosed(_ error: StreamError?) { ended = .some(error) }
}

/// A listener whose streams echo.
final class EchoServer {
  private var echoes: [Echo] = []
  private(set) var streams: [ByteStream] = []
  private(set) var listener: StreamListener?

  init(on loop: Loop, _ endpoint: Endpoint, tls: TLSContext? = nil) throws {
    listener = try StreamListener(on: loop, endpoint: endpoint, tls: tls) { [unowned self] stream in
      let echo = Echo(stream)
      stream.owner = echo
      echoes.append(echo)
      streams.append(stream)
      stream.startReading()
    }
  }

  var port: Int { listener?.port ?? 0 }
}
