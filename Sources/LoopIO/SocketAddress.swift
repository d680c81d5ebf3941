internal import CLibuv

/// One address to connect or bind to.
struct SocketAddress: Sendable {
  private var storage = sockaddr_storage()

  init(_ address: UnsafePointer<sockaddr>) {
    let size =
      unsafe Int32(address.pointee.sa_family) == AF_INET6
      ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
    unsafe withUnsafeMutableBytes(of: &storage) { target in
      unsafe target.copyMemory(from: UnsafeRawBufferPointer(start: address, count: size))
    }
  }

  /// An address written in digits; nil for a name.
  init?(digits host: String, port: Int) {
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if unsafe uv_ip4_addr(host, Int32(port), &four) == 0 {
      self = unsafe withUnsafePointer(to: &four) { four in
        unsafe four.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe SocketAddress($0) }
      }
    } else if unsafe uv_ip6_addr(host, Int32(port), &six) == 0 {
      self = unsafe withUnsafePointer(to: &six) { six in
        unsafe six.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe SocketAddress($0) }
      }
    } else {
      return nil
    }
  }

  /// AF_INET or AF_INET6.
  var family: Int32 { Int32(storage.ss_family) }

  func withPointer<R>(_ body: (UnsafePointer<sockaddr>) -> R) -> R {
    unsafe withUnsafePointer(to: storage) { storage in
      unsafe storage.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe body($0) }
    }
  }

  /// The address in digits and its port.
  var text: (host: String, port: Int) {
    unsafe withPointer { address in
      unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { name in
        let base = name.baseAddress!
        let isSix = unsafe Int32(address.pointee.sa_family) == AF_INET6
        if isSix {
          return unsafe address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { six in
            unsafe uv_ip6_name(six, base, 64)
            return unsafe (String(cString: base), Int(UInt16(bigEndian: six.pointee.sin6_port)))
          }
        }
        return unsafe address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { four in
          unsafe uv_ip4_name(four, base, 64)
          return unsafe (String(cString: base), Int(UInt16(bigEndian: four.pointee.sin_port)))
        }
      }
    }
  }
}
