import PushTelemetry
import Testing

@testable import PushProviders

@Suite struct ClockWatchTests {
  private let date = bytes("Tue, 14 Nov 2023 22:13:20 GMT")  // 1,700,000,000

  @Test func `a wrong clock is named with its error, and measured`() {
    let metrics = WorkerMetrics()
    let watch = ClockWatch(metrics)
    #expect(
      watch.judge(date, wall: 1_700_003_900_000) == "this machine's clock is 3900 s fast")
    #expect(metrics.clockOffset.value == 3_900)
    #expect(
      watch.judge(date, wall: 1_699_999_000_000) == "this machine's clock is 1000 s slow")
    #expect(metrics.clockOffset.value == -1_000)
  }

  @Test func `a right clock is no excuse, an answer without a date leaves the question`() {
    let watch = ClockWatch()
    #expect(watch.judge(date, wall: 1_700_000_005_000) == "")
    #expect(watch.judge(nil, wall: 0).contains("clock"))
    #expect(watch.judge(bytes("yesterday"), wall: 0).contains("clock"))
  }
}
