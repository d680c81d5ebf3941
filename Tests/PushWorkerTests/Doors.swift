import PushModel
import PushWorker
import SharedState

/// Holds pushes until it is opened, and counts those that wait.
final class Doors: Sendable {
  private struct State {
    var inside = 0
    var most = 0
    var isOpen = false
  }
  private let state = Guarded(State())

  /// - Parameter outcome: what whoever waited is told in the end.
  func pass(_ outcome: SendOutcome = ShardHarness.accepted) async -> SendOutcome {
    state.withLock {
      $0.inside += 1
      $0.most = max($0.most, $0.inside)
    }
    while !state.withLock({ $0.isOpen }) { try? await Task.sleep(for: .milliseconds(1)) }
    state.withLock { $0.inside -= 1 }
    return outcome
  }

  func open() { state.withLock { $0.isOpen = true } }
  var isOpen: Bool { state.withLock { $0.isOpen } }
  var inside: Int { state.withLock { $0.inside } }
  /// The most that ever waited at once.
  var most: Int { state.withLock { $0.most } }
}
