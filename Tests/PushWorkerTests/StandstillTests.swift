import Testing

@testable import PushWorker

@Suite struct StandstillTests {
  /// Looks every 60 ms; each step says how many targets have been finished by then.
  private struct Watch {
    var standstill = Standstill(groups: 2)
    var now: Int64 = 0
    var finished = 0

    /// What is thought of the credential after each of so many looks.
    mutating func look(_ times: Int, finishing each: Int = 0, running: Int = 6) -> [Bool] {
      (0..<times).map { _ in
        now += 60_000_000
        finished += each
        let finished = finished
        _ = standstill.look(now) { $0 == 0 ? (finished, running) : (0, 0) }
        return standstill.isStill(0)
      }
    }
  }

  @Test func `a credential that answered and then says nothing stands still within 200 ms`() {
    var watch = Watch()
    #expect(watch.look(20, finishing: 3).allSatisfy { !$0 })
    #expect(watch.look(5) == [false, false, true, true, true])
    #expect(!watch.standstill.isStill(1))
    // A late answer is progress, and no sign that it is always so slow.
    #expect(watch.look(60).last == true)
    #expect(watch.look(1, finishing: 6) == [false])
    #expect(watch.look(3) == [false, false, true])
  }

  @Test func `before its first answer it has two seconds`() {
    var watch = Watch()
    #expect(watch.look(39).allSatisfy { !$0 })
    #expect(watch.look(1) == [true])
  }

  @Test func `answers that come in waves are waited for`() {
    var watch = Watch()
    _ = watch.look(2, finishing: 1)
    _ = watch.look(5)
    for _ in 0..<5 {
      #expect(watch.look(1, finishing: 6) == [false])
      #expect(watch.look(5).allSatisfy { !$0 })
    }
    #expect(watch.look(6).last == true)
  }

  @Test func `without lanes nothing stands still, and looks that come too soon do not count`() {
    var watch = Watch()
    _ = watch.look(3, finishing: 1)
    #expect(watch.look(20, running: 0).allSatisfy { !$0 })
    #expect(!watch.standstill.look(watch.now + 1) { _ in (3, 6) })
    #expect(!watch.standstill.isStill(0))
  }
}
