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
    return "\(prefix):parked:\(credential.app):\(credential.provider.rawValue)\(sandbox)"
  }
}

/// Fields of the `counters` hash; each only grows.
package enum QueueCounter {
  package static let taken = "taken"
  package static let recovered = "recovered"
  /// Settlements of items that were no longer the instance's.
  package static let fenced = "fenced"
  package static let invalid = "invalid"
  package static let invalidDropped = "invalid_dropped"
  package static let unknownHeader = "unknown_header"
  package static let dead = "dead:"
  package static let retried = "retried:"
}

/// Fields of the `control` hash: what operators want.
package enum ControlField {
  package static let workers = "workers"
  package static let paused = "paused"

  /// The wish for one instance, over that for all.
  package static func workers(of instance: String) -> String { "workers:\(instance)" }
  package static func paused(app: String) -> String { "paused:\(app)" }
}
