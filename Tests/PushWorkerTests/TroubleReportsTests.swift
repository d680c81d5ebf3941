import Testing

@testable import PushWorker

@Suite struct TroubleReportsTests {
  @Test func `the same trouble is told every ten seconds, another one at once`() {
    var reports = TroubleReports()
    let misconf = QueueError(.refusing, "MISCONF Redis is configured to save")
    let second: Int64 = 1_000_000_000
    func isDue(
      _ sentence: TroubleReports.Sentence, _ error: QueueError, at seconds: Int64
    ) -> Bool { reports.isDue(sentence, error, now: seconds * second) }
    let told = (0..<600).filter { reports.isDue(.take, misconf, now: Int64($0) * second / 10) }
    #expect(told == [0, 100, 200, 300, 400, 500])
    #expect(isDue(.beat, misconf, at: 59))
    #expect(isDue(.take, QueueError(.refusing, "OOM command"), at: 59))
    #expect(isDue(.take, QueueError(.unreachable, "OOM command"), at: 59))
    #expect(!isDue(.take, QueueError(.unreachable, "OOM other"), at: 60))
  }
}
