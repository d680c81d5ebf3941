/// Deals the waiting targets out to free lanes, so that no list and no credential starves another.
///
/// Among lists that have something to start the one that is furthest behind its weight goes first.
/// A list that had nothing to start is at the present moment, neither behind nor ahead: it is served
/// at once when something comes, and saves up nothing (start-time fair queueing).
///
/// Within a list the credential with the fewest lanes goes first. Each is sure of `lanes / (2 ×
/// credentials)`, which stay free for it, and has three quarters of all at most (DESIGN 3). One that
/// stands still has no more than it is sure of, and the others then share all but one lane of each.
struct Dispatcher<Item> {
  /// One target of one item.
  struct Job {
    let item: Item
    let target: Int
    /// The list it came from.
    let feed: Int
    /// The credential it goes through.
    let group: Int
  }

  private struct Share {
    var waiting = 0
    var running = 0
    /// Most lanes at once.
    var most = Int.max
    /// Most that may begin until `setRoom` is called again.
    var room = Int.max
    /// Targets that lanes have finished, but for those that nobody answered.
    var finished = 0
    var isStill = false
  }

  /// A list's place in virtual time: each lane it gets moves it on by its stride.
  private struct Pace {
    let stride: Int
    var time = 0

    /// Weights up to a million differ, and 2⁴³ lanes go by before an Int is full.
    init(weight: Int) { stride = 1_048_576 / max(1, min(weight, 1_048_576)) }
  }

  /// A line for each list and credential; those of one list stand together.
  private var lines: [Line<Job>]
  private var feeds: [Share]
  private var groups: [Share]
  private var paces: [Pace]
  private var time = 0
  private(set) var waiting = 0
  private(set) var running = 0
  private var hasStill = false

  /// `weights` of the lists; `groups` = the number of credentials.
  init(weights: [Int], groups: Int) {
    let groups = max(1, groups)
    lines = Array(repeating: Line(), count: weights.count * groups)
    feeds = Array(repeating: Share(), count: weights.count)
    self.groups = Array(repeating: Share(), count: groups)
    paces = weights.map { Pace(weight: $0) }
  }

  mutating func add(_ job: Job) {
    lines[job.feed * groups.count + job.group].append(job)
    feeds[job.feed].waiting += 1
    groups[job.group].waiting += 1
    waiting += 1
  }

  /// The next target for a free lane, of `lanes` in all; nil when none may start.
  mutating func next(lanes: Int) -> Job? {
    guard waiting > 0, running < lanes, let place = choose(lanes) else { return nil }
    let job = lines[place].popFirst()
    note(removed: 1, job.feed, job.group)
    running += 1
    feeds[job.feed].running += 1
    groups[job.group].running += 1
    groups[job.group].room -= 1
    if feeds.count > 1 {
      time = max(time, paces[job.feed].time)
      paces[job.feed].time = time + paces[job.feed].stride
    }
    return job
  }

  /// A lane has finished a target.
  /// - Parameter isSilent: it was sent and nobody answered, which is no progress of its credential.
  mutating func finished(feed: Int, group: Int, isSilent: Bool = false) {
    running -= 1
    feeds[feed].running -= 1
    groups[group].running -= 1
    if !isSilent { groups[group].finished += 1 }
  }

  private mutating func note(removed count: Int, _ feed: Int, _ group: Int) {
    feeds[feed].waiting -= count
    groups[group].waiting -= count
    waiting -= count
  }

  // MARK: Choosing

  private func choose(_ lanes: Int) -> Int? {
    if groups.count == 1 {
      if groups[0].running >= groups[0].most || groups[0].room <= 0 { return nil }
      if feeds.count == 1 { return 0 }
    }
    let sure = sure(lanes)
    let isFree = lanes - running > reserved(sure)
    var best: (feed: Int, place: Int)?
    for feed in feeds.indices where feeds[feed].waiting > 0 {
      if let best, !isBefore(feed, best.feed) { continue }
      if let place = chooseLine(feed, lanes, sure, isFree) { best = (feed, place) }
    }
    return best?.place
  }

  /// A list that was idle counts as being at the present moment; among equals the heavier goes.
  private func isBefore(_ feed: Int, _ other: Int) -> Bool {
    let (mine, its) = (max(time, paces[feed].time), max(time, paces[other].time))
    return mine < its || (mine == its && paces[feed].stride < paces[other].stride)
  }

  private func chooseLine(_ feed: Int, _ lanes: Int, _ sure: Int, _ isFree: Bool) -> Int? {
    if groups.count == 1 { return feed }
    let most = max(1, lanes * 3 / 4)
    var best: Int?
    for group in groups.indices where lines[feed * groups.count + group].count > 0 {
      let share = groups[group]
      let isSure = share.running < (share.isStill ? max(1, sure) : sure)
      let mayStart = share.running < min(most, share.most) && share.room > 0
      guard mayStart, isSure || isFree && !share.isStill else { continue }
      if let best, groups[best].running <= share.running { continue }
      best = group
    }
    return best.map { feed * groups.count + $0 }
  }

  /// Lanes that a credential gets whatever the others do.
  private func sure(_ lanes: Int) -> Int { lanes / (2 * groups.count) }

  /// Lanes kept free for credentials that have less than what they are sure of.
  private func reserved(_ sure: Int) -> Int {
    if groups.count == 1 { return 0 }
    // The lanes of the others are soon free again, and those of one that stands still are missing.
    let kept = hasStill ? min(1, sure) : sure
    return groups.reduce(0) { $0 + max(0, min(kept, $1.most) - $1.running) }
  }

  // MARK: What waits

  /// Targets of a list that wait or are with a lane.
  func held(feed: Int) -> Int { feeds[feed].waiting + feeds[feed].running }

  func running(feed: Int) -> Int { feeds[feed].running }

  func running(group: Int) -> Int { groups[group].running }

  /// Targets of a credential that wait or are with a lane.
  func held(group: Int) -> Int { groups[group].waiting + groups[group].running }

  func waiting(feed: Int, group: Int) -> Int { lines[feed * groups.count + group].count }

  /// Targets of a credential that lanes have finished so far, but for those that nobody answered.
  func finished(group: Int) -> Int { groups[group].finished }

  /// Most lanes that a credential may hold; `Int.max` = as many as there are for it.
  func most(group: Int) -> Int { groups[group].most }

  mutating func limit(group: Int, to most: Int) { groups[group].most = most }

  /// What a credential can take now.
  mutating func setRoom(group: Int, to room: Int) { groups[group].room = room }

  /// Which credentials stand still; whether that is news.
  mutating func mark(_ isStill: (Int) -> Bool) -> Bool {
    var isNews = false
    for group in groups.indices where groups[group].isStill != isStill(group) {
      groups[group].isStill.toggle()
      isNews = true
    }
    if isNews { hasStill = groups.contains(where: \.isStill) }
    return isNews
  }

  func waiting(feed: Int) -> Int { feeds[feed].waiting }

  /// Takes out everything that waits.
  mutating func removeWaiting() -> [Job] {
    feeds.indices.flatMap { removeWaiting(feed: $0) }
  }

  /// Takes out everything that waits from one list.
  mutating func removeWaiting(feed: Int) -> [Job] {
    groups.indices.flatMap { removeWaiting(feed: feed, group: $0) }
  }

  /// Takes out what waits from one list for one credential, but for the first `kept`.
  mutating func removeWaiting(feed: Int, group: Int, butFirst kept: Int = 0) -> [Job] {
    let removed = lines[feed * groups.count + group].removeAll(butFirst: kept)
    note(removed: removed.count, feed, group)
    return removed
  }
}

/// First in, first out, without moving what waits at each step.
private struct Line<Job> {
  private var jobs: [Job] = []
  private var head = 0

  var count: Int { jobs.count - head }

  mutating func append(_ job: Job) { jobs.append(job) }

  mutating func popFirst() -> Job {
    let job = jobs[head]
    head += 1
    if head == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 1_024, head * 2 > jobs.count {
      jobs.removeFirst(head)
      head = 0
    }
    return job
  }

  mutating func removeAll(butFirst kept: Int) -> [Job] {
    let first = min(head + kept, jobs.count)
    let removed = Array(jobs[first...])
    jobs.removeSubrange(first...)
    if head == jobs.count {
      jobs.removeAll(keepingCapacity: true)
      head = 0
    }
    return removed
  }
}
