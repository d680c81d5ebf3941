package import PushModel
package import PushWorker
package import SharedState

/// What Redis would keep for one queue, in memory: for tests, and for checking the worker against a
/// model. Any number of instances share it, from any thread. Its clock is the server's.
package final class InMemoryStore: Sendable {
  let clock: any PushClock
  private let guarded: Guarded<Content>

  package init(clock: any PushClock) {
    self.clock = clock
    guarded = Guarded(Content())
  }

  var now: Int64 { clock.wall() }

  func with<R: Sendable, E: Error>(
    _ body: (inout Content) throws(E) -> R
  ) throws(E) -> R {
    try guarded.withLock { content throws(E) -> R in try body(&content) }
  }

  /// A producer's RPUSH.
  package func push(_ event: [UInt8]) {
    let waiting = with { content in
      content.ready.append(Entry(event))
      return content.takeWaiting()
    }
    for one in waiting { one.resume() }
  }

  /// What the operator's script `control` writes; nil clears.
  package func set(_ field: String, _ value: String?) { with { $0.control[field] = value } }

  // What tests look at.
  package var ready: [[UInt8]] { with { $0.ready.map(\.bytes) } }
  package var delayed: [(due: Int64, bytes: [UInt8])] {
    with { $0.delayed.map { ($0.due, $0.entry.bytes) } }
  }
  package var chunks: [[UInt8]] { with { $0.chunks.map(\.bytes) } }
  package var suspects: [[UInt8]] { with { $0.suspects.map(\.bytes) } }
  package var dead: [[UInt8]] { with { $0.dead } }
  package var invalid: [[UInt8]] { with { $0.invalid } }
  package var held: [[UInt8]] { with { $0.held } }
  package var receipts: [TargetReceipt] { with { $0.receipts } }
  package var counters: [String: Int] { with { $0.counters } }
  package var inflight: Int { with { $0.instances.values.reduce(0) { $0 + $1.items.count } } }
  package func parked(_ credential: CredentialKey) -> [[UInt8]] {
    with { $0.parked[credential, default: []].map(\.bytes) }
  }

  /// One item, with its header once it was taken.
  struct Entry {
    var header: ItemHeader?
    var bytes: [UInt8]
    /// Not an item, but a dead letter that found the list full.
    var waitingAs: DeadReason?

    init(_ event: [UInt8]) {
      (header, bytes) = ItemHeader.split(event).map { ($0, $1) } ?? (nil, event)
    }

    init(_ letter: [UInt8], waitingAs reason: DeadReason) {
      bytes = letter
      waitingAs = reason
    }

    init(_ header: ItemHeader, _ bytes: [UInt8]) {
      self.header = header
      self.bytes = bytes
    }
  }

  struct Instance {
    var leaseEnd: Int64
    var items: [Receipt: Entry] = [:]
    var progress: [Receipt: TargetSet] = [:]
    /// All it holds are suspects.
    var isTesting = false
  }

  struct Content {
    var ready: [Entry] = []
    var delayed: [(due: Int64, entry: Entry)] = []
    var suspects: [Entry] = []
    var dead: [[UInt8]] = []
    var invalid: [[UInt8]] = []
    var held: [[UInt8]] = []
    var receipts: [TargetReceipt] = []
    var chunks: [Entry] = []
    var parked: [CredentialKey: [Entry]] = [:]
    var counters: [String: Int] = [:]
    var control: [String: String] = [:]
    var instances: [String: Instance] = [:]
    var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    /// Waits that ended before they began.
    var woken: Set<Int> = []
    var nextWaiting = 0
    var nextID = 0

    /// For key paths, which cannot hold a default value.
    subscript(parkedOf credential: CredentialKey) -> [Entry] {
      get { parked[credential, default: []] }
      set { parked[credential] = newValue }
    }

    func live(_ now: Int64) -> Int { instances.values.count { $0.leaseEnd >= now } }

    mutating func count(_ name: String, _ number: Int = 1) {
      if number > 0 { counters[name, default: 0] += number }
    }

    mutating func takeWaiting() -> [CheckedContinuation<Void, Never>] {
      defer { waiting = [:] }
      return Array(waiting.values)
    }

    mutating func goHome(_ entry: Entry) {
      if entry.header?.crashes ?? 0 >= 2 {
        suspects.insert(entry, at: 0)
      } else {
        ready.insert(entry, at: 0)
      }
    }
  }
}
