import Testing

@testable import PushProviders

@Suite struct QuotaPaceTests {
  private static let second: Int64 = 1_000_000_000

  /// Sends all that may go until `end`, in steps of a millisecond; how many went in each second.
  private func sent(_ pace: inout QuotaPace, from start: Int, to end: Int) -> [Int] {
    var counts = Array(repeating: 0, count: end - start)
    for tick in start * 1_000..<end * 1_000 {
      let now = Int64(tick) * 1_000_000
      while pace.admit(now) == nil { counts[tick / 1_000 - start] += 1 }
    }
    return counts
  }

  @Test func `it grows from little to the whole in a minute, and never beyond`() {
    var pace = QuotaPace(perMinute: 60_000)
    let counts = sent(&pace, from: 0, to: 80)
    #expect(counts[0] <= 20)
    #expect((200...400).contains(counts[15]))
    #expect(counts[58] >= 900)
    #expect(counts.allSatisfy { $0 <= 1_060 })
    #expect(counts[70...].reduce(0, +) >= 9_900)
  }

  @Test func `it is spread over the second`() {
    var pace = QuotaPace(perMinute: 60_000)
    _ = sent(&pace, from: 0, to: 70)
    var most = 0
    for tick in 0..<1_000 {
      let now = 70 * Self.second + Int64(tick) * 1_000_000
      var burst = 0
      while pace.admit(now) == nil { burst += 1 }
      most = max(most, burst)
    }
    #expect(most <= 52)
  }

  @Test func `it is divided among the live`() {
    var pace = QuotaPace(perMinute: 60_000)
    pace.divide(among: 4)
    let counts = sent(&pace, from: 0, to: 80)
    #expect((240...265).contains(counts[75]))
  }

  @Test func `after idleness it grows anew`() {
    var pace = QuotaPace(perMinute: 60_000)
    _ = sent(&pace, from: 0, to: 70)
    let counts = sent(&pace, from: 100, to: 110)
    #expect(counts[0] <= 80)
    #expect(counts[9] > counts[0] * 2)
  }

  @Test func `a full quota halves it, once for all who hear of it`() {
    var pace = QuotaPace(perMinute: 60_000)
    _ = sent(&pace, from: 0, to: 70)
    for _ in 0..<50 { pace.throttled(70 * Self.second) }
    #expect(pace.rate >= 1_000)
    for _ in 0..<150 { pace.throttled(70 * Self.second) }
    #expect(pace.rate == 500)
    let counts = sent(&pace, from: 70, to: 101)
    #expect((450...620).contains(counts[1]))
    #expect(counts[30] >= 900)
  }

  @Test func `a small quota still sends`() {
    var pace = QuotaPace(perMinute: 60)
    pace.divide(among: 600)
    #expect(pace.admit(0) == nil)
  }
}
