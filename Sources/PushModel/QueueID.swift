/// The name that the queue gives an event which has none of its own.
///
/// Most events have one, so that a name made of two parts stays in two parts until somebody reads
/// it: to put it together took a push three requests for memory.
package enum QueueID: Sendable, Equatable, ExpressibleByStringLiteral {
  /// As it stands in a header, or in a dead letter.
  case written(String)
  /// `<instance>-<receipt>`: taken for the first time.
  case taken(by: String, receipt: UInt64)

  package init(stringLiteral text: String) { self = .written(text) }

  package var text: String {
    switch self {
    case .written(let text): text
    case .taken(let instance, let receipt): "\(instance)-\(receipt)"
    }
  }

  package static func == (a: QueueID, b: QueueID) -> Bool { a.text == b.text }
}
