import PushModel

// Custom data: the type's keys, then the event's, of which the later wins key by key.
extension EventReader {
  /// More keys than this cannot fit into any message, whatever they hold.
  static let maximumKeys = 4_096

  func readData(_ fields: borrowing Fields<EventKey>, _ content: EventContent)
    throws(EventFault)
  {
    addTypeKeys(content)
    guard let data = try content.object(fields[.data], FieldPath("data")) else { return }
    content.facts.data = data
    try checkData(data, "data", content)
    let own = content.entries.count
    var removes = false
    var key = data + 1
    while key < Int(content.tokens[data].next) {
      let name = content.text(key)
      if remove(name, before: own, content) { removes = true }
      content.entries.append(DataEntry(key: name, token: Int32(key + 1)))
      key = Int(content.tokens[key + 1].next)
    }
    if removes { content.entries.removeAll { !$0.key.isPresent } }
  }

  /// What holds for the data of an event and of a recipient.
  func checkData(_ data: Int, _ path: String, _ content: EventContent) throws(EventFault) {
    if let key = content.repeatedKey(in: data) { throw repeated(key, content, in: path) }
    var count = 0
    var key = data + 1
    while key < Int(content.tokens[data].next) {
      count += 1
      if content.isKey(key, "aps") {
        throw EventFault(.invalidEvent, "\(path).aps: aps is not custom data")
      }
      key = Int(content.tokens[key + 1].next)
    }
    if count > Self.maximumKeys {
      throw EventFault(.payloadTooLarge, "\(path): \(count) keys do not fit into a message")
    }
  }

  private func addTypeKeys(_ content: EventContent) {
    let app = rules.apps[content.facts.app].keys
    let names = rules.names
    add(app.type, rules.types[content.facts.type].dataType, content)
    add(app.room, content.facts.roomID, content)
    add(app.message, content.facts.messageID, content)
    add(names.senderName, content.facts.senderName, content)
    add(names.senderID, content.facts.senderID, content)
    add(names.url, content.facts.url, content)
    add(names.channel, content.facts.channel, content)
    add(app.image, content.facts.image, isForAPNs: true, content)
    add(names.senderImage, content.facts.senderImage, isForAPNs: true, content)
  }

  private func add(
    _ key: Piece, _ value: Piece, isForAPNs: Bool = false, _ content: EventContent
  ) {
    if value.isEmpty || key.isEmpty { return }
    content.entries.append(DataEntry(key: key, piece: value, isForAPNs: isForAPNs))
  }

  /// Marks the type's keys that the event itself sets; true when there is one.
  private func remove(_ name: Piece, before end: Int, _ content: EventContent) -> Bool {
    var isMarked = false
    for i in 0..<end where content.bytes.areEqual(content.entries[i].key, name) {
      content.entries[i].key = .none
      isMarked = true
    }
    return isMarked
  }
}

extension EventContent {
  func isKey(_ token: Int, _ name: StaticString) -> Bool {
    if !tokens[token].hasEscapes {
      return bytes.isEqual(Piece(tokens[token]), name)
    }
    return decodedKey(token) == [UInt8]("\(name)".utf8)
  }
}
