/// When APNs' provider token is renewed (apns.md 5.2), as a value without a clock.
///
/// APNs refuses a token older than an hour, and answers 429 when the token on a connection changes
/// more than once in 20 minutes. So it is renewed between the two, and never sooner, whatever was
/// answered. Both clocks are asked: the monotonic one does not see that the wall clock was set
/// right, and only the wall clock tells what APNs will think of `iat`.
struct TokenAge: Sendable {
  /// No other token for so long.
  static let shortest: Int64 = 20 * 60 * 1_000_000_000
  /// Renewed at 40 to 50 minutes; each token draws its own, so that hosts do not renew in step.
  static let renewal: ClosedRange<Int64> = 40 * 60 * 1_000_000_000...50 * 60 * 1_000_000_000

  /// Monotonic nanoseconds.
  let made: Int64
  /// UNIX milliseconds.
  let madeWall: Int64
  /// Nanoseconds.
  let lifetime: Int64

  func isStale(now: Int64, wall: Int64) -> Bool {
    let wallAge = wall - madeWall
    return now - made >= lifetime || wallAge < 0 || wallAge >= lifetime / 1_000_000
  }

  func mayBeReplaced(now: Int64) -> Bool { now - made >= Self.shortest }

  /// Someone has set the wall clock since the token was made, so that its `iat` may be wrong. Such a
  /// token is replaced sooner, together with its connections: APNs counts changes on a connection.
  /// Not within a minute, and not again before the clock is set again.
  func wasMisdated(now: Int64, wall: Int64) -> Bool {
    let drift = (wall - madeWall) - (now - made) / 1_000_000
    return abs(drift) >= 60_000 && now - made >= 60 * 1_000_000_000
  }
}
