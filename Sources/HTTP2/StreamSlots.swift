/// How many requests one connection may have open at this moment.
struct StreamSlots {
  /// Requests open.
  private(set) var used = 0
  /// False after GOAWAY, when replaced, or without stream ids left: what is open ends, nothing
  /// starts.
  private(set) var isDraining = false
  private let cap: Int
  /// True until the gateway has accepted a push: till then it allows one stream on a connection
  /// with provider tokens (apns.md 12).
  private var isAlone: Bool
  /// The peer's SETTINGS_MAX_CONCURRENT_STREAMS; until its SETTINGS came, one stream, since
  /// strict servers refuse more.
  private var peerLimit = 1
  /// What a peer that refuses streams below its own limit seems to take.
  private var ceiling = Int.max

  /// Requests that may still start on this connection before its stream ids end.
  private var left: Int

  /// `cap`: our own limit, such as FCM's 100. `lifetime`: requests on the whole connection.
  init(cap: Int, firstRequestAlone: Bool, lifetime: Int = .max) {
    self.cap = cap
    isAlone = firstRequestAlone
    left = lifetime
  }

  var limit: Int {
    if isDraining || isUsedUp { return 0 }
    let allowed = min(peerLimit, cap, ceiling)
    return isAlone ? min(allowed, 1) : allowed
  }

  var free: Int { max(0, limit - used) }

  var isUsedUp: Bool { left == 0 }

  mutating func opened() {
    used += 1
    left -= 1
  }

  mutating func closed() { used -= 1 }

  /// SETTINGS came; a server that names no limit allows any number (RFC 9113 6.5.2).
  mutating func peerAllows(_ streams: UInt32) {
    peerLimit = Int(min(streams, UInt32(Int32.max)))
    ceiling = .max
  }

  /// An answer came; `accepted` says that the push was taken.
  mutating func answered(accepted: Bool) {
    if accepted { isAlone = false }
    if ceiling < Int.max { ceiling = ceiling < 1 << 20 ? ceiling * 2 : .max }
  }

  /// REFUSED_STREAM: no more at once than are still open, until answers come again.
  mutating func refused() { ceiling = max(1, min(ceiling, used)) }

  mutating func drain() { isDraining = true }
}
