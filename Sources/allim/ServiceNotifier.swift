internal import Glibc
internal import SharedState

/// Tells the service manager how the worker is: sd_notify's protocol, a datagram of `NAME=value`
/// lines to the socket that `NOTIFY_SOCKET` names.
///
/// Without a socket nothing is sent, and a manager that does not read loses the datagram: a worker
/// never waits for it.
@safe final class ServiceNotifier: Sendable {
  /// How often the manager wants to hear from us; nil = it does not watch.
  let watchdog: Duration?
  private let descriptor: Int32
  private let address: [UInt8]

  /// - Parameter environment: the process's own.
  init(_ environment: [String: String]) {
    let path = environment["NOTIFY_SOCKET"] ?? ""
    address = Self.address(of: path)
    descriptor =
      address.isEmpty
      ? -1
      : socket(
        AF_UNIX,
        Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    watchdog = descriptor < 0 ? nil : Self.watchdog(environment)
  }

  deinit { if descriptor >= 0 { close(descriptor) } }

  var isHeard: Bool { descriptor >= 0 }

  /// The worker serves.
  func ready() { send("READY=1") }

  /// The configuration is being read again; `ready` ends it.
  func reloading() {
    send("RELOADING=1\nMONOTONIC_USEC=\(SystemClock().monotonic() / 1_000)")
  }

  /// The worker drains; it may take `grace` and needs a little more.
  func stopping(grace: Duration) {
    let limit = grace.components.seconds + 10
    send("STOPPING=1\nSTATUS=draining\nEXTEND_TIMEOUT_USEC=\(limit * 1_000_000)")
  }

  /// All loops turn.
  func alive() { send("WATCHDOG=1") }

  /// One line for people.
  func status(_ text: String) { send("STATUS=\(text.filter { !$0.isNewline })") }

  private func send(_ text: String) {
    guard descriptor >= 0 else { return }
    let bytes = Array(text.utf8)
    unsafe address.withUnsafeBytes { address in
      let place = unsafe address.baseAddress?.assumingMemoryBound(to: sockaddr.self)
      // One that is not taken is lost; the next tells more recent news.
      _ = unsafe sendto(descriptor, bytes, bytes.count, 0, place, socklen_t(address.count))
    }
  }

  /// A `sockaddr_un`; empty when the name is none. `@` begins a name of the abstract namespace.
  private static func address(of path: String) -> [UInt8] {
    var name = Array(path.utf8)
    guard name.count > 1, name[0] == UInt8(ascii: "/") || name[0] == UInt8(ascii: "@"),
      name.count < MemoryLayout<sockaddr_un>.size - MemoryLayout<sa_family_t>.size
    else { return [] }
    if name[0] == UInt8(ascii: "@") { name[0] = 0 } else { name.append(0) }
    let family = sa_family_t(AF_UNIX)
    return unsafe withUnsafeBytes(of: family) { unsafe Array($0) } + name
  }

  /// Meant for this process, and a time.
  private static func watchdog(_ environment: [String: String]) -> Duration? {
    guard let text = environment["WATCHDOG_USEC"], let microseconds = Int64(text), microseconds > 0
    else { return nil }
    if let owner = environment["WATCHDOG_PID"], owner != String(getpid()) { return nil }
    return .microseconds(microseconds)
  }
}
