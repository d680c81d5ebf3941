import LoopIO

/// Answers that wait for their moment: all of them share one timer of the loop.
final class DelayQueue {
  private struct Entry {
    let due: Int64
    /// Keeps the order of those that are due together.
    let number: Int
    let action: () -> Void

    func isBefore(_ other: Entry) -> Bool { (due, number) < (other.due, other.number) }
  }

  private let now: () -> Int64
  /// A binary heap with the next one first.
  private var heap: [Entry] = []
  private var made = 0
  private var timer: LoopTimer?

  init(on loop: Loop, now: @escaping () -> Int64) {
    self.now = now
    timer = LoopTimer(on: loop) { [unowned self] in fire() }
  }

  /// Calls `action` after that many milliseconds.
  func after(milliseconds: Int64, _ action: @escaping () -> Void) {
    made += 1
    let entry = Entry(due: now() + milliseconds * 1_000_000, number: made, action: action)
    heap.append(entry)
    rise(heap.count - 1)
    if heap[0].number == entry.number { arm() }
  }

  func cancel() {
    timer?.cancel()
    heap = []
  }

  private func arm() {
    guard let next = heap.first else { return }
    timer?.arm(afterNanoseconds: max(0, next.due - now()))
  }

  /// The timer may be early: only what is due goes.
  private func fire() {
    let now = now()
    while let next = heap.first, next.due <= now {
      heap.swapAt(0, heap.count - 1)
      heap.removeLast()
      sink()
      next.action()
    }
    arm()
  }

  private func rise(_ start: Int) {
    var at = start
    while at > 0, heap[at].isBefore(heap[(at - 1) / 2]) {
      heap.swapAt(at, (at - 1) / 2)
      at = (at - 1) / 2
    }
  }

  private func sink() {
    var at = 0
    while true {
      var least = at
      for child in [2 * at + 1, 2 * at + 2] where child < heap.count {
        if heap[child].isBefore(heap[least]) { least = child }
      }
      if least == at { return }
      heap.swapAt(at, least)
      at = least
    }
  }
}
