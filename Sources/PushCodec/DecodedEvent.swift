package import PushModel

/// One event as decoded: places in the item's bytes, and a target for each device.
///
/// Belongs to the codec that made it and to its thread; `MessageCodec.recycle` takes it back.
package final class DecodedEvent {
  let content: EventContent
  let rules: CompiledRules

  init(_ rules: CompiledRules) {
    self.rules = rules
    content = EventContent(rules: rules.pool)
  }

  /// Empties it for the next event.
  func reset() { content.reset() }

  /// The producer's bytes, verbatim; none within a step of the codec.
  package var bytes: [UInt8] { content.bytes.item }
  /// The producer's id, or the one the queue made.
  package var id: String { content.bytes.string(content.facts.id) }
  package var typeName: String { rules.types[content.facts.type].name }
  package var appName: String { rules.apps[content.facts.app].name }
  /// In the order of the event; the bits of an item's header count by it.
  package var targets: [PushTarget] { content.targets }
  package var targetCount: Int { content.targets.count }
  /// UNIX seconds; from then on nothing is sent.
  package var expiresAt: Int64 { content.facts.time.expiresAt }
  /// UNIX seconds of a scheduled send; 0 = at once.
  package var notBefore: Int64 { content.facts.time.notBefore }
  /// UNIX milliseconds; the first take when the producer gave none.
  package var sentAtMs: Int64 { content.facts.time.sentAt }
  package var sentAtIsEstimate: Bool { content.facts.time.isEstimate }
  /// `ttl` 0: one attempt, no retry.
  package var isOneShot: Bool { content.facts.time.isOneShot }
  /// What happens when it expires unsent.
  package var expiredRule: TypeRules.ExpiredRule { rules.types[content.facts.type].expired }
  package var traceparent: String? {
    content.facts.traceparent.isEmpty ? nil : content.bytes.string(content.facts.traceparent)
  }
  /// Fields of the event that this version does not know.
  package var unknownFields: Int { content.facts.unknownFields }
  /// Display texts in which broken Unicode was replaced.
  package var repairs: Int { content.facts.repairs }

  package func target(_ index: Int) -> PushTarget { content.targets[index] }

  /// Why a target cannot be sent at all; nil for a good one.
  package func fault(of target: Int) -> EventFault? {
    let index = content.targets[target].fault
    return index < 0 ? nil : content.faults[Int(index)]
  }

  /// Index into `MessageCodec.credentialList`; nil for a faulty target.
  package func credential(of target: Int) -> Int? {
    let index = content.targets[target].credential
    return index < 0 || content.targets[target].fault >= 0 ? nil : index
  }

  /// The token a target is sent to, or its topic or condition, as the event has it.
  package func address(of target: Int) -> String {
    let target = content.targets[target]
    if target.isTopic {
      return content.bytes.string(content.facts.topic.orIfEmpty(content.facts.condition))
    }
    return target.token.isEmpty ? "" : content.bytes.string(target.token)
  }

  /// A token for logs: six characters, at most half of it, and the length; the name of a topic.
  package func redactedToken(of target: Int) -> String {
    let target = content.targets[target]
    if target.isTopic {
      return content.bytes.string(content.facts.topic.orIfEmpty(content.facts.condition))
    }
    if target.token.isEmpty { return "" }
    let text = content.bytes.string(target.token)
    let most = min(6, text.unicodeScalars.count / 2)
    let shown = text.unicodeScalars.prefix(most).filter { $0.value > 0x20 && $0.value != 0x7F }
    return "\(String(String.UnicodeScalarView(shown)))…(\(target.token.length))"
  }
}

/// What an item turned out to be.
package enum DecodedItem {
  case event(DecodedEvent)
  case malformed(ItemFault)
}

/// Why an item is no event, with whatever could be read of it.
package struct ItemFault: Sendable, Equatable {
  package var reason: DeadReason
  /// Names the field; never a token or a text.
  package var detail: String
  package var id: String
  package var app: String?
  package var type: String?

  package init(
    reason: DeadReason, detail: String, id: String, app: String? = nil, type: String? = nil
  ) {
    self.reason = reason
    self.detail = detail
    self.id = id
    self.app = app
    self.type = type
  }
}
