/// What an instance must know about its queue; every field has a default that fits a queue of
/// messages.
package struct QueueSettings: Sendable {
  /// How long an instance may be silent before others take its items.
  package var lease = Duration.seconds(12)
  /// Before the lease's end no send may start, since it must also be settled.
  package var margin = Duration.seconds(3)
  /// Most bytes of one `take`; a larger item comes alone.
  package var takeBytes = 1_048_576
  /// Most records in the feedback list; over it the oldest are dropped and counted.
  package var invalidMax = 1_000_000
  /// Most entries in the stream of receipts, about.
  package var receiptsMax = 100_000
  /// Replicas that must have a result before it counts as stored; 0 = none is waited for.
  package var waitReplicas = 0
  /// How long they are waited for.
  package var waitTimeout = Duration.milliseconds(50)
  /// Most dead letters, and their most bytes together.
  package var deadMax = 1_000_000
  package var deadMaxBytes = 1_073_741_824
  /// Older letters are dropped and counted, a little at a time.
  package var deadMaxAge = Duration.seconds(14 * 86_400)
  package var whenDeadFull = WhenDeadFull.park

  /// What happens to a letter that finds the list full.
  package enum WhenDeadFull: Sendable {
    /// It waits in `delayed` and is tried again each 15 minutes: nothing is lost, and Redis grows.
    case park
    /// The oldest letters make room and are counted.
    case dropOldest
  }

  package init() {}
}

/// A name for a process, new at every start and never a host name: a new process under an old name
/// would own what it never took.
package struct ProcessName: Sendable {
  private let random: String

  package init() {
    let bits = UInt64.random(in: 0...(.max))
    // With the number of a shard 15 bytes: a String of no more needs no memory of its own, and each
    // item that is taken carries this name.
    let digits = String(bits, radix: 36)
    random = String(repeating: "0", count: 13 - digits.count) + digits
  }

  package func instance(shard: Int) -> String { "\(random).\(shard)" }
}
