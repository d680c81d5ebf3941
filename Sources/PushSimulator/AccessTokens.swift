import PushCrypto

/// The OAuth2 access tokens given out, until some time after their end (protocol/fcm.md 4).
struct AccessTokens {
  enum State { case valid, expired, unknown }

  /// Seconds.
  let life: Int64
  private var ends: [[UInt8]: Int64] = [:]

  init(life: Int64) { self.life = life }

  /// A new token at `now` (UNIX seconds).
  mutating func issue(now: Int64) -> [UInt8] {
    // Ended ones are remembered, to tell "expired" from "never issued"; not for ever.
    if ends.count >= 10_000 { ends = ends.filter { $0.value > now } }
    let token = Array("ya29.sim-".utf8) + Base64.encodeURL(RandomBytes.make(33))
    ends[token] = now + life
    return token
  }

  func state(of token: [UInt8], now: Int64) -> State {
    guard let end = ends[token] else { return .unknown }
    return now < end ? .valid : .expired
  }

  /// When a valid token ends, so that a connection need not look it up for every push.
  func end(of token: [UInt8]) -> Int64? { ends[token] }
}
