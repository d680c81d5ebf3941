internal import LoopIO

/// Asks a proxy for a tunnel and reads its answer, up to the empty line.
final class ProxyTunnel: Opening {
  /// No proxy says as much about a tunnel.
  private static let headLimit = 16_384

  let loop: Loop
  var whenOpened: ((StreamError?) -> Void)?
  private(set) var isClosed = false
  private let stream: ByteStream
  private var request: [UInt8] = []
  private var head: [UInt8] = []
  private var showsPassword = false

  init(_ stream: ByteStream) {
    self.stream = stream
    loop = stream.loop
  }

  func ask(for target: Endpoint, _ authorization: [UInt8]?) {
    request = Array("CONNECT \(target) HTTP/1.1\r\nhost: \(target)\r\n".utf8)
    if let authorization {
      showsPassword = true
      request += Array("proxy-authorization: ".utf8) + authorization + Array("\r\n".utf8)
    }
    request += Array("\r\n".utf8)
    stream.owner = self
    stream.setNeedsFill()
    stream.startReading()
  }

  private func headIsWhole() {
    let line = head.prefix { $0 != UInt8(ascii: "\r") }
    let words = line.split(separator: UInt8(ascii: " "), maxSplits: 2)
    guard words.count >= 2, words[0].starts(with: "HTTP/1.".utf8), words[1].count == 3,
      let status = Int(String(decoding: words[1], as: UTF8.self))
    else { return fail("the proxy does not speak HTTP/1") }
    switch status {
    case 200..<300: end(nil)
    case 407: fail(HTTPProxy.refusal(hadPassword: showsPassword))
    default: fail("the proxy answered \(status)")
    }
  }

  private func fail(_ detail: String) { end(StreamError(.proxy, detail)) }

  func end(_ error: StreamError?) {
    if isClosed { return }
    isClosed = true
    stream.owner = nil
    if error == nil { stream.stopReading() } else { stream.close() }
    tellOpened(error)
  }
}

extension ProxyTunnel: ByteStreamOwner {
  func streamRead(_ bytes: Span<UInt8>) {
    for index in bytes.indices {
      head.append(bytes[index])
      guard head.count <= Self.headLimit else { return fail("the proxy's answer is too long") }
      guard bytes[index] == UInt8(ascii: "\n"), head.suffix(4).elementsEqual("\r\n\r\n".utf8) else {
        continue
      }
      // Whom the tunnel leads to has nothing to say before we begin.
      if index + 1 < bytes.count { return fail("the proxy's answer goes on after its end") }
      return headIsWhole()
    }
  }

  func streamFill(_ output: inout [UInt8]) { output += request }

  func streamClosed(_ error: StreamError?) {
    fail("the proxy closed the connection: \(error?.detail ?? "without an answer")")
  }
}
