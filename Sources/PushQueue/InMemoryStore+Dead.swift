internal import PushModel
internal import PushWorker

// The bounded list of dead letters, as `LuaParts.dead` has it.
extension InMemoryStore.Content {
  /// A letter into the list, or into `delayed` when that is full.
  mutating func fileOrWait(
    _ reason: DeadReason, _ letter: [UInt8], _ settings: QueueSettings, now: Int64
  ) {
    if file(reason, letter, settings) { return }
    count(QueueCounter.deadWaited)
    count(QueueCounter.deadWaiting)
    delay(Entry(letter, waitingAs: reason), until: now + Int64(LuaParts.letterPause))
  }

  /// False when the list is full and letters are to wait.
  mutating func file(_ reason: DeadReason, _ letter: [UInt8], _ settings: QueueSettings) -> Bool {
    lookAtLetters()
    func isFull() -> Bool {
      guard !dead.isEmpty else { return false }
      let bytes = counters[QueueCounter.deadBytes, default: 0] + letter.count
      return dead.count >= settings.deadMax || bytes > settings.deadMaxBytes
    }
    while isFull() {
      guard settings.whenDeadFull == .dropOldest else { return false }
      noteGone(dead.removeFirst())
      count(QueueCounter.deadDropped)
    }
    dead.append(letter)
    counters[QueueCounter.deadLength] = dead.count
    counters[QueueCounter.deadBytes, default: 0] += letter.count
    count(QueueCounter.dead + reason.rawValue)
    return true
  }

  /// Removes letters by value; how many were still there.
  mutating func takeLetters(_ letters: [[UInt8]]) -> [[UInt8]] {
    lookAtLetters()
    return letters.filter { letter in
      guard let place = dead.firstIndex(of: letter) else { return false }
      noteGone(dead.remove(at: place))
      return true
    }
  }

  /// What others popped, or pushed, since a step last touched the list.
  private mutating func lookAtLetters() {
    let known = counters[QueueCounter.deadLength, default: 0]
    guard dead.count != known else { return }
    let bytes = counters[QueueCounter.deadBytes, default: 0]
    counters[QueueCounter.deadBytes] =
      known > 0 ? bytes * dead.count / known : dead.count * (dead.first?.count ?? 0)
    counters[QueueCounter.deadLength] = dead.count
    counters[QueueCounter.deadTaken, default: 0] += known - dead.count
  }

  private mutating func noteGone(_ letter: [UInt8]) {
    let bytes = counters[QueueCounter.deadBytes, default: 0]
    counters[QueueCounter.deadLength] = dead.count
    counters[QueueCounter.deadBytes] = dead.isEmpty ? 0 : max(0, bytes - letter.count)
  }

  mutating func delay(_ entry: Entry, until due: Int64) {
    let place = delayed.firstIndex { $0.due > due } ?? delayed.endIndex
    delayed.insert((due, entry), at: place)
  }
}
