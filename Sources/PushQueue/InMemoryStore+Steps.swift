internal import PushModel
internal import PushWorker

// The scripts' steps on values: the same rules in the same order.
extension InMemoryStore.Content {
  typealias Entry = InMemoryStore.Entry

  /// Items for an instance whose lease holds; true when work is held back.
  mutating func take(
    _ order: TakeOrder, by name: String, first: Receipt, now: Int64, _ settings: QueueSettings
  ) -> (items: [(Receipt, Entry)], isHeldBack: Bool) {
    let want = order.want
    if control[ControlField.paused] != nil { return ([], true) }
    if instances[name]?.isTesting == true {
      if instances[name]?.items.isEmpty == false { return ([], true) }
      instances[name]?.isTesting = false
    }
    if !suspects.isEmpty, claimsTest(name, now) {
      guard instances[name]?.items.isEmpty == true else { return ([], true) }
      return (takeSuspects(min(want, 32), by: name, first: first, settings.takeBytes), true)
    }
    if suspects.isEmpty, control["tester"] == name { control["tester"] = nil }
    var room = settings.takeBytes
    var taken: [(Receipt, Entry)] = []
    func keep(_ entry: Entry) {
      var entry = entry
      if entry.header == nil {
        nextID += 1
        entry.header = ItemHeader(id: .written("memory-\(nextID)"), firstTaken: now)
      }
      let receipt = first + Receipt(taken.count)
      taken.append((receipt, entry))
      instances[name]?.items[receipt] = entry
      room -= entry.bytes.count
    }
    func fits(_ entry: Entry) -> Bool { taken.isEmpty || entry.bytes.count <= room }
    func draw(_ list: WritableKeyPath<Self, [Entry]>, _ most: Int) {
      var left = min(most, want - taken.count)
      while left > 0, room > 0, let next = self[keyPath: list].first, fits(next) {
        keep(self[keyPath: list].removeFirst())
        left -= 1
      }
    }
    let others = order.parked.reduce(ready.count + chunks.count) {
      $0 + min($1.most, parked[$1.credential]?.count ?? 0)
    }
    var due = max((want + 3) / 4, want - others)
    while due > 0, room > 0, let next = delayed.first, next.due <= now, fits(next.entry) {
      delayed.removeFirst()
      due -= 1
      guard let reason = next.entry.waitingAs else {
        keep(next.entry)
        continue
      }
      if file(reason, next.entry.bytes, settings) {
        counters[QueueCounter.deadWaiting, default: 0] -= 1
      } else {
        delay(next.entry, until: now + Int64(LuaParts.letterPause))
      }
    }
    for one in order.parked {
      draw(\.[parkedOf: one.credential], one.most)
    }
    let left = want - taken.count
    draw(\.chunks, max((left + 1) / 2, left - ready.count))
    let old = taken.count
    draw(\.ready, ready.count)
    count(QueueCounter.taken, taken.count - old)
    return (taken, false)
  }

  private mutating func claimsTest(_ name: String, _ now: Int64) -> Bool {
    if let tester = control["tester"], tester != name {
      if instances[tester]?.leaseEnd ?? 0 >= now { return false }
    }
    control["tester"] = name
    return true
  }

  /// What is tested together: suspects of no test so far, or one that crashed a test.
  private mutating func takeSuspects(
    _ most: Int, by name: String, first: Receipt, _ bytes: Int
  ) -> [(Receipt, Entry)] {
    instances[name]?.isTesting = true
    var taken: [(Receipt, Entry)] = []
    var room = bytes
    while taken.count < most, let next = suspects.first {
      let crashes = next.header?.crashes ?? 0
      if !taken.isEmpty, crashes > 2 || next.bytes.count > room { break }
      let receipt = first + Receipt(taken.count)
      taken.append((receipt, suspects.removeFirst()))
      instances[name]?.items[receipt] = next
      room -= next.bytes.count
      if crashes > 2 { break }
    }
    return taken
  }

  mutating func settle(
    _ settlement: Settlement, of name: String, after marks: String?, _ settings: QueueSettings,
    now: Int64
  ) -> Bool {
    let receipt = settlement.receipt
    guard let entry = instances[name]?.items[receipt],
      marks == nil || instances[name]?.progress[receipt]?.text == marks
    else {
      count(QueueCounter.fenced)
      return false
    }
    instances[name]?.items[receipt] = nil
    instances[name]?.progress[settlement.receipt] = nil
    for leaving in settlement.leaves { leave(leaving, entry, settings, now) }
    return true
  }

  mutating func progress(
    _ progress: ItemProgress, of name: String, after marks: String?, _ settings: QueueSettings,
    now: Int64
  ) -> Bool {
    guard let entry = instances[name]?.items[progress.receipt] else { return false }
    let found = instances[name]?.progress[progress.receipt]
    if found == progress.done { return true }
    guard found?.text ?? "" == marks ?? "" else { return false }
    instances[name]?.progress[progress.receipt] = progress.done
    for leaving in progress.leaves { leave(leaving, entry, settings, now) }
    return true
  }

  mutating func split(_ step: SplitStep, of name: String, after marks: String?) -> Bool {
    guard instances[name]?.items[step.receipt] != nil else { return false }
    let found = instances[name]?.progress[step.receipt]
    if !step.isLast, found == step.done { return true }
    guard found?.text ?? "" == marks ?? "" else { return false }
    instances[name]?.progress[step.receipt] = step.isLast ? nil : step.done
    if step.isLast { instances[name]?.items[step.receipt] = nil }
    var pieces = step.chunks.map { Entry($0.header, $0.bytes) }
    if ready.isEmpty, !pieces.isEmpty { ready.append(pieces.removeFirst()) }
    chunks += pieces
    return true
  }

  private mutating func leave(
    _ leaving: Leaving, _ entry: Entry, _ settings: QueueSettings, _ now: Int64
  ) {
    switch leaving {
    case .again(let due, let header):
      delay(Entry(header, entry.bytes), until: due)
    case .deadLetter(let reason, let letter):
      fileOrWait(reason, letter, settings, now: now)
    case .invalidToken(let record):
      invalid.append(record)
      count(QueueCounter.invalid)
      let over = max(0, invalid.count - settings.invalidMax)
      invalid.removeFirst(over)
      count(QueueCounter.invalidDropped, over)
    case .heldToken(let record): held.append(record)
    case .parked(let credential, let header):
      parked[credential, default: []].append(Entry(header, entry.bytes))
    case .receipt(let receipt):
      receipts.append(receipt)
      receipts.removeFirst(max(0, receipts.count - settings.receiptsMax))
    }
  }

  /// Takes an item out of the hash as it goes back: with its marks of progress.
  private mutating func remove(_ receipt: Receipt, of name: String) -> (Entry, Bool)? {
    guard var entry = instances[name]?.items.removeValue(forKey: receipt) else { return nil }
    let marks = instances[name]?.progress.removeValue(forKey: receipt)
    if let marks {
      entry.header?.done = marks
      entry.header?.crashes = 0
    }
    return (entry, marks != nil)
  }

  mutating func putBack(_ receipts: [Receipt], of name: String) {
    for receipt in receipts.reversed() {
      if let (entry, _) = remove(receipt, of: name) { goHome(entry) }
    }
  }

  mutating func release(_ name: String) {
    putBack(instances[name]?.items.keys.sorted() ?? [], of: name)
    instances[name] = nil
    control[ControlField.workers(of: name)] = nil
  }

  mutating func recover(but name: String, _ now: Int64) -> Int {
    var recovered = 0
    let lapsed = instances.filter { $0.key != name && $0.value.leaseEnd < now }
    for (dead, instance) in lapsed.sorted(by: {
      ($0.value.leaseEnd, $0.key) < ($1.value.leaseEnd, $1.key)
    }) {
      for receipt in instance.items.keys.sorted(by: >) {
        guard let (found, madeProgress) = remove(receipt, of: dead) else { continue }
        var entry = found
        if !madeProgress { entry.header?.crashes += 1 }
        goHome(entry)
        recovered += 1
      }
      instances[dead] = nil
      control[ControlField.workers(of: dead)] = nil
    }
    count(QueueCounter.recovered, recovered)
    return recovered
  }
}
