import PushModel

/// Refuses events that would show nothing and do nothing (EVENTS.md, "Push type follows content").
struct ContentCheck {
  let rules: CompiledRules

  func check(_ content: EventContent) throws(EventFault) {
    if case .notice = rules.types[content.facts.type].builtIn, !hasTitleOrBody(content.facts),
      content.facts.apnsPayload < 0,
      content.facts.fcm < 0
    {
      throw .invalid(FieldPath("title"), "a notice needs a title or a body")
    }
    if hasPurpose(content) { return }
    var fault: Int32 = -1
    var isAnyLeft = false
    for i in content.targets.indices {
      let recipient = content.recipients[Int(content.targets[i].recipient)]
      if recipient.badge != nil || hasKeys(Int(recipient.data), content) {
        isAnyLeft = true
      } else if content.targets[i].fault < 0 {
        if fault < 0 { fault = content.add(Self.empty) }
        content.targets[i].fault = fault
      }
    }
    if !isAnyLeft { throw Self.empty }
  }

  private static let empty = EventFault(
    .invalidEvent, "title: nothing to show and nothing to do, neither text, badge, sound nor data")

  private func hasTitleOrBody(_ facts: EventFacts) -> Bool {
    !facts.title.isEmpty || !facts.body.isEmpty || !facts.locKey.isEmpty
      || !facts.titleLocKey.isEmpty
  }

  /// True when the event itself gives every target something.
  private func hasPurpose(_ content: EventContent) -> Bool {
    if content.facts.hasText || content.facts.sound.isSound || content.facts.contentAvailable {
      return true
    }
    if content.facts.apnsPayload >= 0 || content.facts.fcm >= 0
      || hasKeys(content.facts.data, content)
    {
      return true
    }
    switch content.facts.wish {
    case .alert: return false
    // The keys that a silent type adds are what it does.
    case .background: return !content.entries.isEmpty
    default: return true
    }
  }

  private func hasKeys(_ object: Int, _ content: EventContent) -> Bool {
    object >= 0 && Int(content.tokens[object].next) > object + 1
  }
}
