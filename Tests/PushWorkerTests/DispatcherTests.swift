import Testing

@testable import PushWorker

private typealias Jobs = Dispatcher<Int>

extension Dispatcher where Item == Int {
  fileprivate mutating func add(_ item: Int, group: Int) {
    add(Job(item: item, target: 0, group: group))
  }

  /// Starts as many as may start; their items.
  fileprivate mutating func startAll(lanes: Int) -> [Int] {
    var started: [Int] = []
    while running < lanes, let job = next(lanes: lanes) { started.append(job.item) }
    return started
  }
}

@Suite struct DispatcherTests {
  @Test func `targets of one credential start in order`() {
    var jobs = Jobs(groups: 1)
    for item in 0..<5 { jobs.add(item, group: 0) }
    #expect(jobs.startAll(lanes: 3) == [0, 1, 2])
    #expect((jobs.waiting, jobs.running) == (2, 3))
  }

  @Test func `a credential alone with work leaves a quarter of the lanes to the others`() {
    var jobs = Jobs(groups: 2)
    for item in 0..<20 { jobs.add(item, group: 0) }
    #expect(jobs.startAll(lanes: 8).count == 6)
    jobs.add(100, group: 1)
    #expect(jobs.next(lanes: 8)?.item == 100)
  }

  @Test func `of those that wait the one with the fewest lanes is next`() {
    var jobs = Jobs(groups: 3)
    for group in 0..<3 { for item in 0..<10 { jobs.add(group * 100 + item, group: group) } }
    let started = jobs.startAll(lanes: 9)
    for group in 0..<3 { #expect(started.count { $0 / 100 == group } == 3) }
  }

  @Test func `a lane that is free again serves the same credential`() {
    var jobs = Jobs(groups: 2)
    for item in 0..<20 { jobs.add(item, group: 0) }
    _ = jobs.startAll(lanes: 8)
    #expect(jobs.next(lanes: 8) == nil)
    jobs.finished(group: 0)
    #expect(jobs.next(lanes: 8)?.item == 6)
  }

  @Test func `one lane serves every credential in turn`() {
    var jobs = Jobs(groups: 2)
    jobs.add(1, group: 0)
    jobs.add(2, group: 1)
    #expect(jobs.next(lanes: 1)?.item == 1)
    jobs.finished(group: 0)
    #expect(jobs.next(lanes: 1)?.item == 2)
  }

  @Test func `what waits can be taken out`() {
    var jobs = Jobs(groups: 2)
    for item in 0..<4 { jobs.add(item, group: item % 2) }
    _ = jobs.next(lanes: 4)
    #expect(jobs.removeWaiting().map(\.item).sorted() == [1, 2, 3])
    #expect(jobs.waiting == 0)
    #expect(jobs.next(lanes: 4) == nil)
  }

  @Test func `a long queue gives its memory back and loses nothing`() {
    var jobs = Jobs(groups: 1)
    var seen = 0
    for round in 0..<5_000 {
      jobs.add(round * 2, group: 0)
      jobs.add(round * 2 + 1, group: 0)
      #expect(jobs.next(lanes: 10_000_000)?.item == seen)
      seen += 1
    }
    #expect(jobs.waiting == 5_000)
  }
}
