import PushModel

/// Gathers what items leave until 64 wait or 5 ms have passed: then one script writes them all.
///
/// Quiet: it goes on. Drain: it writes what is there at once. Cancel: never; a settlement that
/// Redis does not take is tried until it does, since the script's gate makes it harmless twice.
final class Completer {
  static let batch = 64
  /// Nanoseconds.
  static let patience: Int64 = 5_000_000
  /// The most settlements of one script call: a script holds up all of Redis.
  private static let most = 256

  let wake = Signal()
  private var settlements: [Settlement] = []
  private var progress: [ItemProgress] = []
  /// The worker ends and Redis is away: what is here stays with the items, for whoever takes them.
  private(set) var isAbandoned = false

  var isEmpty: Bool { settlements.isEmpty && progress.isEmpty }
  var count: Int { settlements.count + progress.count }

  /// True when this is the first to wait, so that a timer must be armed.
  func add(_ settlement: Settlement) -> Bool {
    settlements.append(settlement)
    return noteAdded()
  }

  func add(_ step: ItemProgress) -> Bool {
    progress.append(step)
    return noteAdded()
  }

  private func noteAdded() -> Bool {
    if count >= Self.batch { wake.raise() }
    return count == 1
  }

  func takeSettlements() -> [Settlement] {
    if settlements.count <= Self.most {
      let all = settlements
      settlements = []
      settlements.reserveCapacity(all.count)
      return all
    }
    let some = Array(settlements.prefix(Self.most))
    settlements.removeFirst(Self.most)
    return some
  }

  func abandon() {
    isAbandoned = true
    (settlements, progress) = ([], [])
  }

  func takeProgress() -> [ItemProgress] {
    let all = progress
    progress = []
    return all
  }
}
