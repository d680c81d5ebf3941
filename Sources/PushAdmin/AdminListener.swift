internal import Glibc

/// Where the admin side listens.
package enum AdminAddress: Sendable, Equatable {
  /// 127.0.0.1:9464, or a free port of 127.0.0.1 when that is taken: several workers on one
  /// machine need no configuration.
  case automatic
  case fixed(host: String, port: Int)
}

/// Why it could not listen; a wrong configuration.
package struct AdminError: Error, Sendable, CustomStringConvertible {
  package let description: String
}

/// A listening TCP socket.
struct AdminListener {
  static let defaultPort = 9_464

  let descriptor: Int32
  /// `host:port` as bound.
  let address: String
  /// Nobody outside this machine can reach it.
  let isLoopback: Bool

  init(_ wanted: AdminAddress) throws(AdminError) {
    switch wanted {
    case .fixed(let host, let port): try self.init(host: host, port: port)
    case .automatic:
      do throws(AdminError) {
        try self.init(host: "127.0.0.1", port: Self.defaultPort)
      } catch { try self.init(host: "127.0.0.1", port: 0) }
    }
  }

  private init(host: String, port: Int) throws(AdminError) {
    let shown = host.contains(":") ? "[\(host)]" : host
    func failure(_ reason: String) -> AdminError {
      AdminError(description: "cannot listen on \(shown):\(port): \(reason)")
    }
    var hints = unsafe addrinfo()
    unsafe hints.ai_flags = AI_PASSIVE
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var list: UnsafeMutablePointer<addrinfo>?
    let code = unsafe getaddrinfo(host, String(port), &hints, &list)
    guard code == 0, let first = unsafe list else {
      throw failure(unsafe String(cString: gai_strerror(code)))
    }
    defer { unsafe freeaddrinfo(first) }
    let found = unsafe first.pointee
    let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    let descriptor = unsafe socket(found.ai_family, type, 0)
    var one: Int32 = 1
    guard descriptor >= 0,
      unsafe setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &one, 4) == 0,
      unsafe bind(descriptor, found.ai_addr, found.ai_addrlen) == 0, listen(descriptor, 64) == 0
    else {
      let reason = unsafe String(cString: strerror(errno))
      if descriptor >= 0 { close(descriptor) }
      throw failure(reason)
    }
    self.descriptor = descriptor
    let bound = Self.name(of: descriptor)
    address = "\(shown):\(UInt16(bigEndian: bound.sin6_port))"
    isLoopback = Self.isLoopback(bound)
  }

  private static func isLoopback(_ name: sockaddr_in6) -> Bool {
    if Int32(name.sin6_family) == AF_INET {
      // The flow information stands where sockaddr_in has its address, in network order.
      return UInt32(bigEndian: name.sin6_flowinfo) >> 24 == 127
    }
    var address = name.sin6_addr
    return unsafe withUnsafeBytes(of: &address) { bytes in
      unsafe bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
    }
  }

  /// A sockaddr_in has its port and address where sockaddr_in6 has port and flow information.
  private static func name(of descriptor: Int32) -> sockaddr_in6 {
    var name = sockaddr_in6()
    var length = socklen_t(MemoryLayout<sockaddr_in6>.size)
    unsafe withUnsafeMutablePointer(to: &name) {
      unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        _ = unsafe getsockname(descriptor, $0, &length)
      }
    }
    return name
  }
}
