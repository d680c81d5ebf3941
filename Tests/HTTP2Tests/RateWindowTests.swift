import TestSupport
import Testing

@testable import HTTP2

private let second: Int64 = 1_000_000_000
private let millisecond: Int64 = 1_000_000

/// Starts as often as the window lets it, looking at moments that `step` decides, and gives the
/// stamps; `delay` is the time from a reservation to the socket.
private func starts(
  _ window: RateWindow, for duration: Int64, step: () -> Int64, wants: () -> Int = { 1_000 },
  delay: () -> Int64 = { 0 }
) -> [Int64] {
  var window = window
  var now: Int64 = 5 * second
  let end = now + duration
  var stamps: [Int64] = []
  while now < end {
    var left = wants()
    var reserved = 0
    while left > 0, window.mayStart(at: now) {
      window.reserve(at: now)
      reserved += 1
      left -= 1
    }
    if reserved > 0 {
      now += delay()
      for _ in 0..<reserved {
        window.handedOver(at: now)
        stamps.append(now)
      }
    }
    now += step()
  }
  return stamps
}

/// Whether no window of `RateWindow.span` holds more than `limit`.
private func keeps(_ limit: Int, _ stamps: [Int64]) -> Bool {
  zip(stamps, stamps.dropFirst(limit)).allSatisfy { $1 - $0 >= RateWindow.span }
}

@Suite struct RateWindowTests {
  @Test func `a burst of the limit goes at once, and the next waits for the window`() {
    var window = RateWindow(limit: 100)
    for _ in 0..<100 {
      #expect(window.mayStart(at: second))
      window.reserve(at: second)
    }
    #expect(!window.mayStart(at: second))
    for _ in 0..<100 { window.handedOver(at: second) }
    #expect(!window.mayStart(at: second + RateWindow.span - 1))
    #expect(window.mayStart(at: second + RateWindow.span))
  }

  @Test func `after the burst starts are spaced evenly, so the burst does not repeat`() {
    let stamps = starts(RateWindow(limit: 100), for: 10 * second, step: { 100_000 })
    for (a, b) in zip(stamps.dropFirst(100), stamps.dropFirst(101)) {
      #expect(b - a >= 10 * millisecond)
    }
    #expect(keeps(100, stamps))
  }

  @Test(arguments: [1, 3, 10, 50, 99, 100])
  func `no window holds more than the limit, whatever comes when`(limit: Int) {
    var random = SeededRandom(seed: UInt64(limit))
    for _ in 0..<20 {
      let window = RateWindow(limit: limit, phase: Double.random(in: 0..<1, using: &random))
      let longest = [2, 30, 900].randomElement(using: &random)! * millisecond
      let stamps = starts(
        window, for: 20 * second, step: { Int64.random(in: 1...longest, using: &random) },
        wants: { Int.random(in: 0...200, using: &random) },
        delay: { Int64.random(in: 0...(longest / 2), using: &random) })
      #expect(keeps(limit, stamps))
      #expect(!stamps.isEmpty)
    }
  }

  @Test(arguments: [10, 50, 100])
  func `a backlog uses nearly all of the rate in spite of a timer of whole milliseconds`(
    limit: Int
  ) {
    var random = SeededRandom(seed: 7)
    let stamps = starts(
      RateWindow(limit: limit, phase: 0.3), for: 60 * second,
      step: { Int64.random(in: 200_000...2_400_000, using: &random) })
    #expect(keeps(limit, stamps))
    #expect(Double(stamps.count) / Double(60 * limit) >= 0.94)
  }

  @Test func `bytes that wait long for the socket count when they leave`() {
    var window = RateWindow(limit: 100)
    for _ in 0..<60 { window.reserve(at: second) }
    // The socket takes them three seconds later.
    for _ in 0..<60 { window.handedOver(at: 4 * second) }
    var more = 0
    while window.mayStart(at: 4 * second + 1) {
      window.reserve(at: 4 * second + 1)
      more += 1
    }
    #expect(more == 40)
  }

  @Test func `a reservation that is given back can be taken again`() {
    var window = RateWindow(limit: 1)
    window.reserve(at: second)
    #expect(!window.mayStart(at: 10 * second))
    window.withdraw()
    #expect(window.mayStart(at: 10 * second))
  }

  @Test func `a connection under its rate is never made to wait`() {
    var window = RateWindow(limit: 100)
    var now = second
    var random = SeededRandom(seed: 3)
    // 50 a second in small bunches.
    for _ in 0..<2_000 {
      let bunch = Int.random(in: 1...5, using: &random)
      for _ in 0..<bunch {
        #expect(window.mayStart(at: now))
        window.reserve(at: now)
        window.handedOver(at: now)
      }
      now += Int64(bunch) * 20 * millisecond
    }
  }

  @Test func `connections that burst together go on at different moments`() {
    let first = (0..<20).map { place in
      starts(
        RateWindow(limit: 100, phase: Double(place) / 20), for: 2 * second,
        step: { 10_000 })[100]
    }
    #expect(Set(first).count == 20)
  }

  @Test func `the meter finds the fullest second`() {
    var meter = StartMeter()
    for index in 0..<30 { meter.started(at: Int64(index) * 100 * millisecond) }
    #expect(meter.largest == 10)
    for _ in 0..<5 { meter.started(at: 10 * second) }
    #expect(meter.largest == 10)
    for _ in 0..<7 { meter.started(at: 10 * second + 999 * millisecond) }
    #expect(meter.largest == 12)
  }
}
