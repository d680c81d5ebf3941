/// What one connection remembers of the provider tokens it was shown (protocol/apns.md 5.2).
///
/// The bytes of the token in use are compared first, so that a signature is verified once a
/// connection and not once a push.
struct ProviderTokenMemory {
  private var bytes: [UInt8] = []
  private var issuedAt: Int64 = 0
  private var shownAt: Int64?
  private var isWedged = false

  /// What is wrong with this token at `now` (UNIX seconds); nil when it is good.
  mutating func judge(
    _ token: ArraySlice<UInt8>, now: Int64, key: ProviderKey
  ) -> APNsReason? {
    // An expired token wedges the connection: a new one does not cure it.
    if isWedged { return .expiredProviderToken }
    if shownAt != nil, Bytes.areEqual(token, bytes) { return age(of: issuedAt, now) }
    switch key.verify(Array(token)) {
    case .failure(let refusal): return refusal.reason
    case .success(let issuedAt):
      if let reason = age(of: issuedAt, now) { return reason }
      if let shownAt, now - shownAt < 20 * 60 { return .tooManyProviderTokenUpdates }
      bytes = Array(token)
      self.issuedAt = issuedAt
      shownAt = now
      return nil
    }
  }

  /// Older than an hour is expired; from the future is invalid. A minute of difference between
  /// two clocks is let pass.
  private mutating func age(of issuedAt: Int64, _ now: Int64) -> APNsReason? {
    if issuedAt > now + 60 { return .invalidProviderToken }
    guard now - issuedAt > 3_600 else { return nil }
    isWedged = true
    return .expiredProviderToken
  }
}
