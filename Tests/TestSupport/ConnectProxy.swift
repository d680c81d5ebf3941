package import LoopIO

/// An HTTP proxy that knows CONNECT only, and does with each what a test says.
package final class ConnectProxy {
  /// What a client asked for.
  package struct Request {
    package var target: String
    /// The value of `Proxy-Authorization`; "" without one.
    package var authorization = ""
  }

  package enum Answer {
    case open
    /// Bytes, and then the end of the connection.
    case refusal(String)
    /// Opens and closes when so many bytes have passed.
    case openUntil(bytes: Int)
    case silence

    package static func status(_ status: Int) -> Answer {
      .refusal("HTTP/1.1 \(status) No\r\ncontent-length: 0\r\n\r\n")
    }
  }

  private let loop: Loop
  private var listener: StreamListener?
  private var guests: [Guest] = []
  package private(set) var requests: [Request] = []
  package private(set) var pairs: [RelayedPair] = []
  package var answer: (Request) -> Answer = { _ in .open }
  /// Which port of this machine a port that was asked for stands for.
  package var route: (Int) -> Int = { $0 }

  package var port: Int { listener?.port ?? 0 }

  package init(on loop: Loop) throws {
    self.loop = loop
    listener = try StreamListener(on: loop, endpoint: .tcp(host: "127.0.0.1", port: 0)) {
      [unowned self] in guests.append(Guest($0, self))
    }
  }

  fileprivate func asked(_ request: Request, _ guest: Guest) {
    requests.append(request)
    switch answer(request) {
    case .silence: break
    case .refusal(let text): guest.say(text, thenCloses: true)
    case .open: open(request, guest, limit: nil)
    case .openUntil(let bytes): open(request, guest, limit: bytes)
    }
  }

  private func open(_ request: Request, _ guest: Guest, limit: Int?) {
    let port = route(request.target.split(separator: ":").last.flatMap { Int($0) } ?? 0)
    guest.say("HTTP/1.1 200 Connection established\r\n\r\n")
    forward(guest.stream, to: port, on: loop) { [unowned self] pair in
      pairs.append(pair)
      if let limit { closeLater(pair, limit) }
    }
  }

  private func closeLater(_ pair: RelayedPair, _ limit: Int) {
    let box = UncheckedBox(pair)
    // Ends with the pair; the loop's end ends it too.
    Task(executorPreference: loop) { [loop] in
      _ = await eventually(on: loop) { box.value.bytes >= limit || !box.value.isOpen }
      box.value.close()
    }
  }

  package func close() {
    listener?.close()
    listener = nil
    for guest in guests { guest.stream.close() }
    for pair in pairs { pair.close() }
  }

  deinit { close() }
}

/// Reads the head of a request.
private final class Guest: ByteStreamOwner {
  let stream: ByteStream
  private unowned let proxy: ConnectProxy
  private var head: [UInt8] = []
  private var outgoing: [UInt8] = []

  init(_ stream: ByteStream, _ proxy: ConnectProxy) {
    self.stream = stream
    self.proxy = proxy
    stream.owner = self
    stream.startReading()
  }

  func streamRead(_ bytes: Span<UInt8>) {
    for index in bytes.indices { head.append(bytes[index]) }
    guard head.suffix(4).elementsEqual("\r\n\r\n".utf8) else { return }
    stream.stopReading()
    let lines = String(decoding: head, as: UTF8.self).split(separator: "\r\n")
    let words = lines[0].split(separator: " ")
    guard words.count == 3, words[0] == "CONNECT" else { return stream.close() }
    var request = ConnectProxy.Request(target: String(words[1]))
    for line in lines.dropFirst() where line.lowercased().hasPrefix("proxy-authorization: ") {
      request.authorization = String(line.dropFirst(21))
    }
    proxy.asked(request, self)
  }

  func say(_ text: String, thenCloses: Bool = false) {
    outgoing += Array(text.utf8)
    if thenCloses { stream.closeAfterFlush() } else { stream.setNeedsFill() }
  }

  func streamFill(_ output: inout [UInt8]) {
    output += outgoing
    outgoing.removeAll()
  }

  func streamClosed(_ error: StreamError?) {}
}
