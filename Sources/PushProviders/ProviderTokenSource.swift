package import PushCrypto
package import PushTelemetry
package import SharedState

/// APNs' provider token of one key: one for all shards, topics and connections (apns.md 5).
///
/// Any thread may ask. Signing takes 45 us and happens about once in 45 minutes, under the lock, so
/// that two who meet an old token make one new one.
package final class ProviderTokenSource: Sendable {
  private struct Current {
    var token: ProviderToken
    var age: TokenAge
  }

  private let key: PrivateKey
  private let header: [UInt8]
  private let teamID: String
  private let clock: any PushClock
  private let made: Counter?
  private let current: Guarded<Current>

  /// Makes the first token, so that a key that cannot sign is found at start.
  package init(
    key: PrivateKey, keyID: String, teamID: String, clock: any PushClock = SystemClock(),
    made: Counter? = nil
  ) throws(CredentialError) {
    try Self.check(keyID, "keyId")
    try Self.check(teamID, "teamId")
    self.key = key
    self.teamID = teamID
    self.clock = clock
    self.made = made
    let header = Array(#"{"alg":"ES256","kid":"\#(keyID)"}"#.utf8)
    self.header = header
    do throws(CryptoError) {
      let first = try Self.make(header, teamID, key, clock, serial: 1)
      current = Guarded(first)
    } catch {
      throw CredentialError(file: "", field: "keyFile", error.detail)
    }
    made?.add()
  }

  /// The token to send with.
  package func token() -> ProviderToken {
    current.withLock { current in
      let now = clock.monotonic()
      if current.age.isStale(now: now, wall: clock.wall()), current.age.mayBeReplaced(now: now) {
        renew(&current)
      }
      return current.token
    }
  }

  /// Tells that APNs refused `token`. True when another one may be tried: one exists, or could be
  /// made now. False when this one is too young to be replaced, which means that the clock here or
  /// there is wrong, or the key is not accepted.
  ///
  /// - Parameter isExpired: what APNs said of it; false: it is not valid.
  package func refused(_ token: ProviderToken, isExpired: Bool = true) -> Bool {
    current.withLock { current in
      if current.token.serial != token.serial { return true }
      let (now, wall) = (clock.monotonic(), clock.wall())
      guard
        isExpired && current.age.mayBeReplaced(now: now)
          || current.age.wasMisdated(now: now, wall: wall)
      else { return false }
      renew(&current)
      return current.token.serial != token.serial
    }
  }

  /// Keeps the old token if OpenSSL refuses to sign; it may still be good.
  private func renew(_ current: inout Current) {
    let serial = current.token.serial + 1
    guard let next = try? Self.make(header, teamID, key, clock, serial: serial) else { return }
    current = next
    made?.add()
  }

  private static func make(
    _ header: [UInt8], _ teamID: String, _ key: PrivateKey, _ clock: any PushClock, serial: Int
  ) throws(CryptoError) -> Current {
    let wall = clock.wall()
    // A few seconds back: an `iat` in APNs' future is refused (apns.md 5.2).
    let issued = wall / 1_000 - 10
    let claims = Array(#"{"iss":"\#(teamID)","iat":\#(issued)}"#.utf8)
    let jwt = try JWT.es256(header: header, claims: claims, key: key)
    return Current(
      token: ProviderToken(authorization: Array("bearer ".utf8) + jwt, serial: serial),
      age: TokenAge(
        made: clock.monotonic(), madeWall: wall, lifetime: .random(in: TokenAge.renewal)))
  }

  /// Apple's ids are ten letters and digits; what else could stand in JSON is refused.
  private static func check(_ id: String, _ field: String) throws(CredentialError) {
    let isPlain = id.utf8.allSatisfy { byte in
      (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
    }
    guard isPlain, !id.isEmpty else {
      throw CredentialError(file: "", field: field, "is not made of letters and digits")
    }
  }
}
