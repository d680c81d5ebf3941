import PushModel

// Custom data: the type's keys, then the event's, then the recipient's; later wins key by key.
extension MessageBuilder {
  /// Values as the producer gave them.
  mutating func appleData(_ content: EventContent, _ recipient: RecipientFacts) {
    for i in content.entries.indices {
      let entry = content.entries[i]
      if entry.token < 0 {
        if !plan.carriesTypeKeys || entry.isForAPNs && !plan.showsText { continue }
      }
      if recipient.data >= 0, isSet(entry.key, by: recipient, content) { continue }
      writer.key(entry.key, content.bytes)
      if entry.token < 0 {
        writer.value(entry.piece, content.bytes)
      } else {
        writer.value(Int(entry.token), content)
      }
    }
    if plan.carriesTypeKeys, hasOwnLastRead(content, recipient) {
      writer.key(rules.apps[content.facts.app].keys.lastRead, content.bytes)
      writer.value(recipient.lastReadID, content.bytes)
    }
    var key = Int(recipient.data) + 1
    while key > 0, key < Int(content.tokens[Int(recipient.data)].next) {
      writer.comma()
      writer.string(key, content)
      writer.byte(UInt8(ascii: ":"))
      writer.value(key + 1, content)
      key = Int(content.tokens[key + 1].next)
    }
  }

  /// True when the recipient's last read id is to be written and nobody's own key replaces it.
  func hasOwnLastRead(_ content: EventContent, _ recipient: RecipientFacts) -> Bool {
    if recipient.lastReadID.isEmpty { return false }
    let key = rules.apps[content.facts.app].keys.lastRead
    return !isSet(key, by: recipient, content) && !isSetByEvent(key, content)
  }

  func isSetByEvent(_ key: Piece, _ content: EventContent) -> Bool {
    for i in content.entries.indices
    where content.bytes.areEqual(content.entries[i].key, key) && !content.entries[i].isForAPNs {
      return true
    }
    return false
  }

  /// True when the recipient's data has the key.
  func isSet(
    _ key: Piece, by recipient: RecipientFacts, _ content: EventContent
  ) -> Bool {
    if recipient.data < 0 { return false }
    var at = Int(recipient.data) + 1
    while at < Int(content.tokens[Int(recipient.data)].next) {
      let token = content.tokens[at]
      if token.hasEscapes {
        if content.decodedKey(at) == content.bytes.array(key) { return true }
      } else if content.bytes.areEqual(Piece(token), key) {
        return true
      }
      at = Int(content.tokens[at + 1].next)
    }
    return false
  }

  func hasKey(
    _ name: String, _ content: EventContent, _ recipient: RecipientFacts
  ) -> Bool {
    [content.facts.data, Int(recipient.data)].contains { object in
      object >= 0 && content.member(name, of: object) != nil
    }
  }
}
