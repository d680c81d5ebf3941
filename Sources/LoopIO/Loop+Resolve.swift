internal import CLibuv

extension Loop {
  /// Asks the system's resolver anew each time, so that load spreads over a provider's servers
  /// (protocol/apns.md 12). A lookup that runs cannot be cancelled; its answer is then dropped.
  func resolve(_ host: String, port: Int) async throws(StreamError) -> [SocketAddress] {
    if let address = SocketAddress(digits: host, port: port) { return [address] }
    let result = await withCheckedContinuation { continuation in
      startLookup(host, port: port, Lookup(continuation))
    }
    return try result.get()
  }

  private func startLookup(_ host: String, port: Int, _ lookup: Lookup) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    unsafe cuv_set_request_data(request, Unmanaged.passRetained(lookup).toOpaque())
    let code = unsafe uv_getaddrinfo(
      raw, request,
      { request, status, found in
        let user = unsafe cuv_request_data(request!)!
        let lookup = unsafe Unmanaged<Lookup>.fromOpaque(user).takeRetainedValue()
        unsafe lookup.end(status, found)
        unsafe uv_freeaddrinfo(found)
        unsafe request?.deallocate()
      }, host, String(port), &hints)
    if code != 0 {
      unsafe Unmanaged.passUnretained(lookup).release()
      unsafe request.deallocate()
      unsafe lookup.end(code, nil)
    }
  }
}

private final class Lookup {
  private let waiting: CheckedContinuation<Result<[SocketAddress], StreamError>, Never>

  init(_ waiting: CheckedContinuation<Result<[SocketAddress], StreamError>, Never>) {
    self.waiting = waiting
  }

  func end(_ status: Int32, _ found: UnsafeMutablePointer<addrinfo>?) {
    var addresses: [SocketAddress] = []
    var next = unsafe found
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr {
        unsafe addresses.append(SocketAddress(address))
      }
      unsafe next = entry.pointee.ai_next
    }
    if addresses.isEmpty {
      let why = status == 0 ? "no address" : libuvText(status)
      waiting.resume(returning: .failure(StreamError(.resolve, why)))
    } else {
      waiting.resume(returning: .success(addresses))
    }
  }
}
