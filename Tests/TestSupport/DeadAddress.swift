internal import Glibc

/// An address of this machine whose connects never end: a listener that takes nobody out of its
/// queue, which is full.
@safe package final class DeadAddress {
  private var sockets: [Int32] = []
  package let host: String
  package private(set) var port = 0

  /// On `::1`, or on `127.0.0.2` where there is no IPv6.
  package init() {
    host = Self.hasIPv6 ? "::1" : "127.0.0.2"
    let family = Self.hasIPv6 ? AF_INET6 : AF_INET
    let listener = Glibc.socket(family, Int32(SOCK_STREAM.rawValue), 0)
    sockets = [listener]
    var address = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    unsafe withUnsafeMutableBytes(of: &address) { bytes in
      unsafe bytes.storeBytes(of: UInt16(family), as: UInt16.self)
      let text = family == AF_INET6 ? 8 : 4
      unsafe inet_pton(family, host, bytes.baseAddress! + text)
    }
    unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        let length = socklen_t(
          family == AF_INET6
            ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
        unsafe bind(listener, address, length)
        listen(listener, 0)
        unsafe getsockname(listener, address, &size)
        // Two connects, of which the queue holds one or both.
        for _ in 0..<2 {
          let guest = Glibc.socket(
            family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
          unsafe connect(guest, address, length)
          sockets.append(guest)
        }
      }
    }
    port = unsafe withUnsafeBytes(of: &address) {
      unsafe Int(UInt16(bigEndian: $0.load(fromByteOffset: 2, as: UInt16.self)))
    }
  }

  private static let hasIPv6: Bool = {
    let socket = Glibc.socket(AF_INET6, Int32(SOCK_STREAM.rawValue), 0)
    defer { Glibc.close(socket) }
    var address = sockaddr_in6()
    address.sin6_family = UInt16(AF_INET6)
    unsafe inet_pton(AF_INET6, "::1", &address.sin6_addr)
    return unsafe withUnsafePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(socket, address, socklen_t(MemoryLayout<sockaddr_in6>.size)) == 0
      }
    }
  }()

  deinit { for socket in sockets { Glibc.close(socket) } }
}
