import PushModel
import Testing

@testable import PushWorker

private typealias Jobs = Dispatcher<Int>

extension Dispatcher where Item == Int {
  fileprivate init(groups: Int) { self.init(weights: [1], groups: groups) }

  fileprivate mutating func add(_ item: Int, group: Int) { add(item, feed: 0, group: group) }

  fileprivate mutating func add(_ item: Int, feed: Int, group: Int = 0) {
    add(Job(item: item, target: 0, feed: feed, group: group))
  }

  fileprivate mutating func finished(group: Int) { finished(feed: 0, group: group) }

  /// Lanes that each list got, of `count` in turn on one lane.
  fileprivate mutating func dealOut(_ count: Int, feeds: Int) -> [Int] {
    var dealt = Array(repeating: 0, count: feeds)
    for _ in 0..<count {
      guard let job = next(lanes: 1) else { break }
      dealt[job.feed] += 1
      finished(feed: job.feed, group: job.group)
    }
    return dealt
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

  @Test func `what nobody answered frees its lane and is no progress`() {
    var jobs = Jobs(groups: 2)
    for item in 0..<3 { jobs.add(item, group: 1) }
    #expect(jobs.startAll(lanes: 8).count == 3)
    jobs.finished(feed: 0, group: 1)
    jobs.finished(feed: 0, group: 1, isSilent: true)
    #expect((jobs.finished(group: 1), jobs.running(group: 1)) == (1, 1))
  }

  @Test func `only what was sent and not answered ends silently`() {
    for kind in [SendTrouble.Kind.timeout, .closed] {
      #expect(Lane.Ending.sent(.unknown(SendTrouble(kind))).isSilent)
      #expect(!Lane.Ending.sent(.neverSent(SendTrouble(kind))).isSilent)
    }
    for ending in [Lane.Ending.sent(.accepted), .expired, .shut] { #expect(!ending.isSilent) }
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

  @Test func `two credentials that hold their lanes leave a third what it is sure of`() {
    var jobs = Jobs(groups: 3)
    for item in 0..<40 { jobs.add(item, group: item % 2) }
    #expect(jobs.startAll(lanes: 12).count == 10)
    jobs.add(100, group: 2)
    jobs.add(101, group: 2)
    #expect(jobs.startAll(lanes: 12) == [100, 101])
  }

  @Test func `while one credential stands still another has nearly all the lanes it left`() {
    var jobs = Jobs(groups: 6)
    for item in 0..<100 { jobs.add(item, group: 0) }
    #expect(jobs.startAll(lanes: 64).count == 39)
    for item in 100..<200 { jobs.add(item, group: 1) }
    #expect(jobs.startAll(lanes: 64).count == 5)
    #expect(jobs.mark { $0 == 0 })
    #expect(!jobs.mark { $0 == 0 })
    // Four others have never sent: a lane stays free for each.
    #expect(jobs.startAll(lanes: 64).count == 16)
    jobs.finished(group: 0)
    #expect(jobs.next(lanes: 64)?.group == 1)
    #expect(jobs.mark { _ in false })
    for _ in 0..<22 { jobs.finished(group: 1) }
    #expect(jobs.next(lanes: 64) != nil)
  }

  @Test func `lists get lanes by their weights`() {
    var jobs = Jobs(weights: [8, 4, 1], groups: 1)
    for feed in 0..<3 { for item in 0..<1_000 { jobs.add(item, feed: feed) } }
    #expect(jobs.dealOut(130, feeds: 3) == [80, 40, 10])
  }

  @Test func `a list that was idle overtakes at once and saves up nothing`() {
    var jobs = Jobs(weights: [8, 1], groups: 2)
    for item in 0..<2_000 { jobs.add(item, feed: 1) }
    #expect(jobs.dealOut(1_000, feeds: 2) == [0, 1_000])
    for item in 0..<200 { jobs.add(item, feed: 0) }
    #expect(jobs.next(lanes: 1)?.feed == 0)
    jobs.finished(feed: 0, group: 0)
    // From here on by weight: bulk is not made to wait for what calls did not use.
    #expect(jobs.dealOut(90, feeds: 2)[1] >= 9)
  }

  @Test func `a list whose credential holds all it may does not keep another from its lane`() {
    var jobs = Jobs(weights: [8, 1], groups: 2)
    for item in 0..<20 { jobs.add(item, feed: 0, group: 0) }
    #expect(jobs.startAll(lanes: 8).count == 6)
    jobs.add(100, feed: 1, group: 1)
    #expect(jobs.next(lanes: 8)?.item == 100)
  }

  @Test func `what waits from one list can be taken out, but for the first`() {
    var jobs = Jobs(weights: [1, 1], groups: 2)
    for item in 0..<6 { jobs.add(item, feed: item % 2, group: 0) }
    #expect(jobs.removeWaiting(feed: 0, group: 0, butFirst: 1).map(\.item) == [2, 4])
    #expect(jobs.removeWaiting(feed: 1).map(\.item) == [1, 3, 5])
    #expect(jobs.waiting == 1 && jobs.held(feed: 0) == 1)
    #expect(jobs.next(lanes: 4)?.item == 0)
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
