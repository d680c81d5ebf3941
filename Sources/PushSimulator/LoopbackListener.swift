import Glibc

/// A listening TCP socket on 127.0.0.1, handed to a library that closes it.
struct LoopbackListener {
  let socket: Int32
  let port: Int

  /// 0 lets the system choose the port.
  init(port wanted: Int) throws(SimulatorError) {
    let made = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    var one: Int32 = 1
    unsafe setsockopt(made, SOL_SOCKET, SO_REUSEADDR, &one, socklen_t(MemoryLayout<Int32>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(wanted).bigEndian
    address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isListening = unsafe withUnsafeMutablePointer(to: &address) { address in
      unsafe address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        unsafe bind(made, address, size) == 0 && listen(made, 64) == 0
          && getsockname(made, address, &size) == 0
      }
    }
    guard made >= 0, isListening else {
      _ = close(made)
      throw SimulatorError(.listen, "cannot listen on port \(wanted)")
    }
    socket = made
    port = Int(UInt16(bigEndian: address.sin_port))
  }
}
