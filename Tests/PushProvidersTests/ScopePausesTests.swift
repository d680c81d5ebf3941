import PushModel
import TestSupport
import Testing

@testable import PushProviders

@Suite struct ScopePausesTests {
  private static let second: Int64 = 1_000_000_000
  private var pauses = ScopePauses()

  @Test mutating func `a refused part rests, and the others go on`() {
    pauses.refused([1], now: 0)
    let refused = pauses.admits([1], now: 14 * Self.second)
    let other = pauses.admits([2], now: 14 * Self.second)
    #expect(!refused && other)
  }

  @Test mutating func `after the pause one tries, and success ends it`() {
    pauses.refused([1], now: 0)
    let first = pauses.admits([1], now: 15 * Self.second)
    let second = pauses.admits([1], now: 15 * Self.second)
    #expect(first && !second)
    pauses.accepted([1])
    #expect(pauses.isEmpty)
  }

  @Test mutating func `a refused try rests longer, up to a minute`() {
    var now: Int64 = 0
    pauses.refused([1], now: now)
    for length in [15, 30, 60, 60] as [Int64] {
      // Those that were under way together count once.
      pauses.refused([1], now: now + Self.second)
      let early = pauses.admits([1], now: now + length * Self.second - 1)
      now += length * Self.second
      let due = pauses.admits([1], now: now)
      #expect(!early && due)
      pauses.refused([1], now: now)
    }
  }

  @Test mutating func `what is remembered is bounded`() {
    for part in 0..<200 { pauses.refused([UInt8(part)], now: 0) }
    let known = pauses.admits([63], now: 1)
    let unknown = pauses.admits([64], now: 1)
    #expect(!known && unknown)
  }
}
