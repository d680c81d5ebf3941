internal import CLibuv

/// One question to the system's resolver. It is asked anew at each connect, so that load spreads
/// over a provider's servers (protocol/apns.md 12). What runs cannot be cancelled: an answer that
/// comes too late is dropped.
final class Lookup: Opening {
  let loop: Loop
  var whenOpened: ((StreamError?) -> Void)?
  private(set) var isClosed = false
  private(set) var addresses: [SocketAddress] = []

  init(on loop: Loop) { self.loop = loop }

  /// The addresses of a host, which may be one in digits.
  static func addresses(
    of host: String, port: Int, on loop: Loop, before deadline: ContinuousClock.Instant
  ) async throws(StreamError) -> [SocketAddress] {
    if let address = SocketAddress(digits: host, port: port) { return [address] }
    let lookup = Lookup(on: loop)
    try await lookup.open(before: deadline) { lookup.ask(host, port) }
    return lookup.addresses
  }

  private func ask(_ host: String, _ port: Int) {
    var hints = unsafe addrinfo()
    unsafe hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    unsafe hints.ai_flags = AI_ADDRCONFIG
    let request = UnsafeMutablePointer<uv_getaddrinfo_t>.allocate(capacity: 1)
    unsafe cuv_set_request_data(request, Unmanaged.passRetained(self).toOpaque())
    let code = unsafe uv_getaddrinfo(
      loop.raw, request,
      { request, status, found in
        let user = unsafe cuv_request_data(request!)!
        let lookup = unsafe Unmanaged<Lookup>.fromOpaque(user).takeRetainedValue()
        unsafe lookup.answered(status, found)
        unsafe uv_freeaddrinfo(found)
        unsafe request?.deallocate()
      }, host, String(port), &hints)
    if code != 0 {
      unsafe Unmanaged.passUnretained(self).release()
      unsafe request.deallocate()
      unsafe answered(code, nil)
    }
  }

  private func answered(_ status: Int32, _ found: UnsafeMutablePointer<addrinfo>?) {
    var next = unsafe found
    while let entry = unsafe next {
      if let address = unsafe entry.pointee.ai_addr {
        unsafe addresses.append(SocketAddress(address))
      }
      unsafe next = entry.pointee.ai_next
    }
    guard addresses.isEmpty else { return end(nil) }
    end(StreamError(.resolve, status == 0 ? "no address" : libuvText(status)))
  }

  func end(_ error: StreamError?) {
    if isClosed { return }
    isClosed = true
    tellOpened(error)
  }
}
