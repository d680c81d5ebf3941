/// Deals the waiting targets out to free lanes, so that no credential starves another.
///
/// A credential with work is always sure of a share, since it may hold at most three quarters of
/// the lanes while others exist, and since of those that wait the one with the fewest lanes is
/// served next (DESIGN 3).
struct Dispatcher<Item> {
  /// One target of one item.
  struct Job {
    let item: Item
    let target: Int
    let group: Int
  }

  private struct Group {
    var jobs: [Job] = []
    var head = 0
    var running = 0

    var waiting: Int { jobs.count - head }

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
  }

  private var groups: [Group]
  private(set) var waiting = 0
  private(set) var running = 0

  /// `groups` = the number of credentials.
  init(groups: Int) { self.groups = Array(repeating: Group(), count: max(1, groups)) }

  mutating func add(_ job: Job) {
    groups[job.group].jobs.append(job)
    waiting += 1
  }

  /// The next target for a free lane, of `lanes` in all; nil when none may start.
  mutating func next(lanes: Int) -> Job? {
    guard waiting > 0, let index = choose(lanes) else { return nil }
    waiting -= 1
    running += 1
    groups[index].running += 1
    return groups[index].popFirst()
  }

  private func choose(_ lanes: Int) -> Int? {
    if groups.count == 1 { return 0 }
    let most = max(1, lanes * 3 / 4)
    var best: Int?
    for index in groups.indices where groups[index].waiting > 0 && groups[index].running < most {
      if let chosen = best, groups[chosen].running <= groups[index].running { continue }
      best = index
    }
    return best
  }

  /// A lane has finished a target of this group.
  mutating func finished(group: Int) {
    running -= 1
    groups[group].running -= 1
  }

  /// Takes out everything that waits.
  mutating func removeWaiting() -> [Job] {
    var all: [Job] = []
    for index in groups.indices {
      all += groups[index].jobs[groups[index].head...]
      groups[index].jobs.removeAll()
      groups[index].head = 0
    }
    waiting = 0
    return all
  }
}
