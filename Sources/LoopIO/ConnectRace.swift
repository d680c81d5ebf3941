/// Connects to one of a host's addresses, as RFC 8305 ("happy eyeballs") has it: families in turn,
/// the next address 250 ms after the one before or as soon as that has failed, and the first that
/// connects wins. So a host whose IPv6 leads nowhere costs a quarter of a second, not a minute.
final class ConnectRace: Opening {
  /// Recommended by RFC 8305 5.
  private static let stagger = Duration.milliseconds(250)

  let loop: Loop
  var whenOpened: ((StreamError?) -> Void)?
  private(set) var isClosed = false
  private(set) var winner: ByteStream?
  private let addresses: [SocketAddress]
  private var next = 0
  private var running: [ByteStream] = []
  private var timer: LoopTimer?
  private var trouble = StreamError(.resolve, "no address")

  init(on loop: Loop, to addresses: [SocketAddress]) {
    self.loop = loop
    self.addresses = Self.alternating(addresses)
    timer = LoopTimer(on: loop) { [unowned self] in startNext() }
  }

  /// Families in turn, beginning with the resolver's first choice (RFC 8305 4).
  static func alternating(_ addresses: [SocketAddress]) -> [SocketAddress] {
    let first = addresses.filter { $0.family == addresses[0].family }
    let others = addresses.filter { $0.family != addresses[0].family }
    return (0..<max(first.count, others.count)).flatMap { place in
      [first, others].compactMap { place < $0.count ? $0[place] : nil }
    }
  }

  func startNext() {
    if isClosed { return }
    guard next < addresses.count else { return running.isEmpty ? end(trouble) : () }
    let address = addresses[next]
    next += 1
    let stream = ByteStream(on: loop, tcp: true)
    stream.peerAddress = address.text.host
    stream.whenOpened = { [unowned self, unowned stream] in ended(stream, $0) }
    running.append(stream)
    if next < addresses.count { timer?.arm(after: Self.stagger) }
    stream.startConnect(to: address)
  }

  private func ended(_ stream: ByteStream, _ error: StreamError?) {
    guard !isClosed, let place = running.firstIndex(where: { $0 === stream }) else { return }
    running.remove(at: place)
    if let error {
      trouble = error
      return startNext()
    }
    winner = stream
    end(nil)
  }

  func end(_ error: StreamError?) {
    if isClosed { return }
    isClosed = true
    timer?.cancel()
    for stream in running { stream.close() }
    running.removeAll()
    tellOpened(error)
  }
}
