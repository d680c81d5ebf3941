/// How many streams APNs lets a connection have (protocol/apns.md 12): with a provider token one
/// until a push was accepted, and one again after a rejection until the next success. 410 does not
/// count as an error.
struct StreamAllowance {
  private let full: UInt32
  private let isStrict: Bool
  private(set) var announced: UInt32

  init(full: Int, isStrict: Bool) {
    self.full = UInt32(clamping: full)
    self.isStrict = isStrict
    announced = isStrict ? 1 : self.full
  }

  /// The value to announce after an answer; nil when nothing changes.
  mutating func answered(status: Int) -> UInt32? {
    guard isStrict, status != 410 else { return nil }
    let wanted = status == 200 ? full : 1
    guard wanted != announced else { return nil }
    announced = wanted
    return wanted
  }
}
