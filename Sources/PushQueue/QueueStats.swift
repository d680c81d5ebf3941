package import PushModel
package import PushWorker
internal import RedisClient

/// Numbers of items of one queue.
package struct QueueStats: Sendable, Equatable {
  package var ready = 0
  /// Retries and scheduled events.
  package var delayed = 0
  /// Held by instances.
  package var inFlight = 0
  package var parked = 0
  /// Crashed two instances, waiting to be taken alone.
  package var suspects = 0
  package var dead = 0
  package var invalid = 0
  /// Held by the mass-invalidation brake.
  package var invalidHeld = 0
  /// Instances with a lease, also one that is just over.
  package var instances = 0
  /// The `counters` hash; fields in `QueueCounter`.
  package var counters: [String: Int] = [:]
  /// The head of the list as it is there, perhaps with a header line; nil when it is empty. Its
  /// `sentAt` says how old the oldest event is.
  package var oldest: [UInt8]?

  package init() {}

  /// Dead letters by reason: written, and neither retried nor removed. Letters that others took from
  /// the list are still counted.
  package var deadByReason: [DeadReason: Int] {
    var counts: [DeadReason: Int] = [:]
    for reason in DeadReason.allCases {
      let written = counters[QueueCounter.dead + reason.rawValue, default: 0]
      let left =
        written - counters[QueueCounter.retried + reason.rawValue, default: 0]
        - counters[QueueCounter.gone + reason.rawValue, default: 0]
      if left > 0 { counts[reason] = left }
    }
    return counts
  }
}

/// One instance as `allim workers` shows it.
package struct WorkerEntry: Sendable, Equatable {
  package let instance: String
  /// Empty fields when it has not beaten yet.
  package let status: InstanceStatus
  /// Negative when the lease is over and nobody has recovered its items yet.
  package let leaseLeft: Duration
}

/// One dead letter to be sent again.
package struct DeadRetry: Sendable {
  /// The letter exactly as it is in the list.
  package var letter: [UInt8]
  /// Its `reason`, for the counters.
  package var reason: String
  /// Its `id`, for events that have none of their own.
  package var id: String
  /// Its `replays` and one more.
  package var replays: Int
  /// The producer's event, with new life if that was asked for.
  package var event: [UInt8]

  package init(letter: [UInt8], reason: String, id: String, replays: Int, event: [UInt8]) {
    self.letter = letter
    self.reason = reason
    self.id = id
    self.replays = replays
    self.event = event
  }

  func append(to arguments: inout RedisCommand) {
    arguments.append(letter)
    arguments.append(reason)
    // The header is one line of fields, and an id of a producer may hold anything.
    arguments.append(id.utf8.filter { $0 != UInt8(ascii: ";") && $0 != 10 })
    arguments.append(replays)
    arguments.append(event)
  }
}

extension RedisReply {
  /// A flat list of names and values.
  var pairs: [String: String] {
    guard let list = array else { return [:] }
    var pairs: [String: String] = [:]
    for index in stride(from: 0, to: list.count - 1, by: 2) {
      if let name = list[index].text, let value = list[index + 1].text { pairs[name] = value }
    }
    return pairs
  }
}
