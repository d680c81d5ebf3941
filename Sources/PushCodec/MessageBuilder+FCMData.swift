import PushModel

// `data` of an FCM message: a map of strings (protocol/fcm.md 2.6).
extension MessageBuilder {
  /// Writes the map and adds its sizes. With `withTexts` it also carries what would else be shown
  /// (style data).
  mutating func data(
    _ content: EventContent, _ recipient: RecipientFacts, withTexts: Bool,
    _ size: inout FCMSize
  ) throws(EventFault) {
    let start = writer.out.count
    writer.open("data")
    let inside = writer.out.count
    if withTexts { dataTexts(content, recipient, &size) }
    for i in content.entries.indices {
      let entry = content.entries[i]
      if entry.isForAPNs || isSet(entry.key, by: recipient, content) { continue }
      if entry.token >= 0, content.tokens[Int(entry.token)].kind == .null { continue }
      try check(entry.key, content)
      writer.key(entry.key, content.bytes)
      size.message += entry.key.length
      if entry.token < 0 {
        writer.string(entry.piece, content.bytes)
        size.message += entry.piece.length
      } else {
        size.message += text(of: Int(entry.token), content)
      }
    }
    if hasOwnLastRead(content, recipient) {
      put(rules.apps[content.facts.app].keys.lastRead, recipient.lastReadID, content, &size)
    }
    try recipientData(content, recipient, &size)
    if writer.out.count == inside {
      writer.out.truncate(to: start)
    } else {
      writer.close()
      size.data = writer.out.count - inside
    }
  }

  private mutating func recipientData(
    _ content: EventContent, _ recipient: RecipientFacts, _ size: inout FCMSize
  ) throws(EventFault) {
    if recipient.data < 0 { return }
    var key = Int(recipient.data) + 1
    while key < Int(content.tokens[Int(recipient.data)].next) {
      defer { key = Int(content.tokens[key + 1].next) }
      if content.tokens[key + 1].kind == .null { continue }
      let name = content.decodedKey(key)
      if ReservedKey.isReserved(name) { throw reserved(String(decoding: name, as: UTF8.self)) }
      writer.comma()
      writer.string(key, content)
      writer.byte(UInt8(ascii: ":"))
      size.message += name.count + text(of: key + 1, content)
    }
  }

  private mutating func dataTexts(
    _ content: EventContent, _ recipient: RecipientFacts, _ size: inout FCMSize
  ) {
    let own: [4 of (Piece, Piece)] = [
      (rules.names.title, texts.title), (rules.names.body, texts.body),
      (rules.names.tag, content.facts.collapseKey),
      (rules.apps[content.facts.app].keys.image, content.facts.image),
    ]
    for i in 0..<4 {
      let (key, value) = own[i]
      if value.isEmpty || isSetByEvent(key, content) || isSet(key, by: recipient, content) {
        continue
      }
      put(key, value, content, &size)
    }
  }

  private mutating func put(
    _ key: Piece, _ value: Piece, _ content: EventContent, _ size: inout FCMSize
  ) {
    writer.key(key, content.bytes)
    writer.string(value, content.bytes)
    size.message += key.length + value.length
  }

  /// Writes a value as a string: text as it is, digits kept, objects and arrays as JSON. The number
  /// of bytes of the text.
  private mutating func text(of token: Int, _ content: EventContent) -> Int {
    let value = content.tokens[token]
    switch value.kind {
    case .string where !value.hasEscapes, .number, .yes, .no, .null:
      content.bytes.withBytes(of: Piece(value)) { writer.out.append(quoted: $0) }
      return value.count
    case .string:
      writer.byte(UInt8(ascii: "\""))
      let count = content.bytes.withItem { writer.transcode(value.range, copy $0) }
      writer.byte(UInt8(ascii: "\""))
      return count
    case .object, .array:
      var nested = JSONWriter()
      nested.value(token, content)
      nested.out.withSpan(from: 0) { writer.text(copy $0) }
      return nested.out.count
    }
  }

  private func check(_ key: Piece, _ content: EventContent) throws(EventFault) {
    let isReserved = content.bytes.withBytes(of: key) { ReservedKey.isReserved($0) }
    if isReserved { throw reserved(content.bytes.string(key)) }
  }

  private func reserved(_ key: String) -> EventFault {
    EventFault(.invalidEvent, "data.\(key.prefix(64)): reserved by FCM")
  }
}
