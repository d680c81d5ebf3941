package import PushModel
package import PushWorker

/// The names of one queue's keys, all in the slot of the list that producers push to: the only
/// place where key names are built (QUEUE.md 2).
package struct QueueKeys: Sendable, Equatable {
  /// The list of producers, `Q`.
  package let ready: String
  /// What the companions' names begin with: `Q` when it has a hash tag, else `{Q}`.
  package let prefix: String

  /// Refuses a name whose companions Redis Cluster would put elsewhere, such as `a{}b`: a script
  /// must find all its keys in one slot.
  package init(queue: String) throws(QueueError) {
    guard !queue.isEmpty else { throw QueueError(.misconfigured, "a queue needs a name") }
    ready = queue
    prefix = Self.hashTag(queue) == nil ? "{\(queue)}" : queue
    guard Self.hashTag(prefix) == Self.hashTag(queue) ?? queue else {
      throw QueueError(
        .misconfigured,
        "queue \"\(queue)\": braces that are no hash tag; its other keys would lie in another slot")
    }
  }

  /// What stands between the first `{` and the next `}`, when that is not nothing.
  private static func hashTag(_ key: String) -> String? {
    guard let open = key.utf8.firstIndex(of: UInt8(ascii: "{")) else { return nil }
    let start = key.utf8.index(after: open)
    guard let close = key.utf8[start...].firstIndex(of: UInt8(ascii: "}")), close > start else {
      return nil
    }
    return String(key[start..<close])
  }

  package var leases: String { prefix + ":leases" }
  package var instances: String { prefix + ":instances" }
  package var delayed: String { prefix + ":delayed" }
  package var suspects: String { prefix + ":suspects" }
  /// Pieces of large events.
  package var chunks: String { prefix + ":chunks" }
  package var dead: String { prefix + ":dead" }
  package var invalid: String { prefix + ":invalid" }
  package var held: String { prefix + ":invalid:held" }
  package var receipts: String { prefix + ":receipts" }
  package var counters: String { prefix + ":counters" }
  package var control: String { prefix + ":control" }

  package func inflight(_ instance: String) -> String { "\(prefix):inflight:\(instance)" }

  /// The sandbox has a list of its own, since it can be down while production is not.
  package func parked(_ credential: CredentialKey) -> String {
    let sandbox = credential.environment == .sandbox ? ":sandbox" : ""
    return "\(parkedStart)\(credential.app):\(credential.provider.rawValue)\(sandbox)"
  }

  /// What the names of all parked lists begin with.
  package var parkedStart: String { prefix + ":parked:" }

  /// The keys that every queue may have, with Redis' names of their types.
  package var types: [(key: String, type: String)] {
    let lists = [ready, chunks, suspects, dead, invalid, held].map { ($0, "list") }
    let hashes = [instances, counters, control].map { ($0, "hash") }
    return lists + hashes + [(leases, "zset"), (delayed, "zset"), (receipts, "stream")]
  }
}

/// Fields of the `counters` hash. Each only grows, but for what the list of dead letters holds.
package enum QueueCounter {
  package static let taken = "taken"
  package static let recovered = "recovered"
  /// Settlements of items that were no longer the instance's.
  package static let fenced = "fenced"
  package static let invalid = "invalid"
  package static let invalidDropped = "invalid_dropped"
  package static let unknownHeader = "unknown_header"
  /// With the reason: letters written to the list.
  package static let dead = "dead:"
  /// With the reason.
  package static let retried = "retried:"
  /// With the reason: letters that were purged or dropped.
  package static let gone = "gone:"
  package static let deadPurged = "dead_purged"
  /// Letters that went since the list was full or they were too old.
  package static let deadDropped = "dead_dropped"
  /// Letters that others popped from the list, less those that others pushed.
  package static let deadTaken = "dead_taken"
  /// Letters that ever found the list full, and those that wait in `delayed` now.
  package static let deadWaited = "dead_waited"
  package static let deadWaiting = "dead_waiting"
  /// What the list held when a script last touched it.
  package static let deadLength = "dead_length"
  package static let deadBytes = "dead_bytes"
  package static let heldDropped = "invalid_held_dropped"
}

/// Fields of the `control` hash: what operators want.
package enum ControlField {
  package static let workers = "workers"
  /// The value for a number that follows the load.
  package static let auto = "auto"
  package static let paused = "paused"

  /// The wish for one instance, over that for all.
  package static func workers(of instance: String) -> String { "workers:\(instance)" }
  package static func paused(app: String) -> String { "paused:\(app)" }
}
