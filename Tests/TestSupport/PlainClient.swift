internal import Glibc

/// A bare HTTP client over one TCP connection.
package final class PlainClient: Sendable {
  private let descriptor: Int32

  /// nil when nobody listens.
  package init?(_ address: String) {
    guard let port = address.split(separator: ":").last.flatMap({ UInt16($0) }) else { return nil }
    descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = port.bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { return nil }
  }

  deinit { close(descriptor) }

  package func send(_ text: String) {
    _ = unsafe Glibc.send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
  }

  /// Everything until the peer closes. Waits on a thread of its own, since the server's answers are
  /// made by the pool that runs the tests.
  package func rest() async -> String {
    (try? await onLoop { _ in self.read() }) ?? "no thread"
  }

  private func read() -> String {
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while true {
      let count = unsafe recv(descriptor, &piece, piece.count, 0)
      if count <= 0 { return String(decoding: bytes, as: UTF8.self) }
      bytes += piece[..<count]
    }
  }

  /// One request with its whole answer. `headers` are whole lines.
  package static func ask(
    _ address: String, _ method: String, _ path: String, _ headers: [String] = [],
    body: String = ""
  ) async -> String {
    guard let client = PlainClient(address) else { return "refused" }
    let host = headers.contains { $0.hasPrefix("Host:") } ? [] : ["Host: \(address)"]
    let length = ["Connection: close", "Content-Length: \(body.utf8.count)"]
    let head = ["\(method) \(path) HTTP/1.1"] + host + headers + length
    client.send(head.joined(separator: "\r\n") + "\r\n\r\n" + body)
    return await client.rest()
  }
}
