import Glibc
import TestSupport
import Testing

extension RunningSimulator {
  /// Shifts the simulator's clock by so many seconds.
  func setClock(_ offset: Int) async {
    let body = #"{"offset":\#(offset)}"#
    let port = controlPort
    // It waits for the answer, on a thread of its own.
    let answer = try? await onLoop { _ in Self.post("/clock", body, port) }
    #expect(answer?.contains(" 200 ") == true, "\(answer ?? "no answer")")
  }

  private static func post(_ path: String, _ body: String, _ port: Int64) -> String {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(descriptor) }
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_port = UInt16(port).bigEndian
    name.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    let code = unsafe withUnsafePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    guard code == 0 else { return "refused" }
    let text =
      "POST \(path) HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
      + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
    _ = unsafe send(descriptor, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 4_096)
    while case let count = unsafe recv(descriptor, &piece, piece.count, 0), count > 0 {
      bytes += piece[..<count]
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
