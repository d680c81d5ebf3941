package import PushModel

/// What became of building one target's message.
package enum BuildResult: Sendable {
  case built(BuildNotes)
  case failed(DeadReason, detail: String)
  /// Nothing may be sent any more.
  case expired
}

/// What was measured and changed on the way, for `explain` and metrics.
package struct BuildNotes: Sendable, Equatable {
  /// The bytes that count against `limit`: APNs' whole body; FCM's data and texts.
  package var bytes = 0
  package var limit = 4_096
  package var changes: Changes = []

  package init() {}

  package struct Changes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt16
    package init(rawValue: UInt16) { self.rawValue = rawValue }
    package static let body = Changes(rawValue: 1)
    package static let subtitle = Changes(rawValue: 2)
    package static let title = Changes(rawValue: 4)
    /// Broken Unicode in display text was replaced by U+FFFD.
    package static let unicode = Changes(rawValue: 8)
    /// The collapse id was too long or not fit for a header, so its hash was sent.
    package static let collapseID = Changes(rawValue: 16)
    /// `mutableContent` without text was left out.
    package static let mutableContent = Changes(rawValue: 32)
    /// The priority asked for is not allowed for this push type.
    package static let priority = Changes(rawValue: 64)
    /// The content asked for another push type than the event.
    package static let pushType = Changes(rawValue: 128)

    /// One sentence each, for a person.
    package var sentences: [String] {
      var all: [String] = []
      if contains(.body) { all.append("body shortened to fit") }
      if contains(.subtitle) { all.append("subtitle shortened to fit") }
      if contains(.title) { all.append("title shortened to fit") }
      if contains(.unicode) { all.append("broken Unicode replaced by U+FFFD") }
      if contains(.collapseID) { all.append("collapse id replaced by its hash") }
      if contains(.mutableContent) { all.append("mutableContent left out: there is no text") }
      if contains(.priority) { all.append("priority 5: the push type allows no other") }
      if contains(.pushType) { all.append("push type follows content") }
      return all
    }
  }
}
