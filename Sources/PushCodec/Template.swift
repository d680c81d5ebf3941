/// A text with places to fill, such as `{sender.name}: {message.text}`.
///
/// Words between two places stand only when both have a value, words at an end only when the place
/// beside them has one: so an absent part takes its separator with it.
struct Template {
  enum Place: String {
    case roomName = "room.name"
    case roomID = "room.id"
    case senderName = "sender.name"
    case senderID = "sender.id"
    case messageText = "message.text"
    case messageID = "message.id"
  }

  enum Part {
    case words(Piece)
    case place(Place)
  }

  private(set) var parts: [Part] = []

  /// Unknown places stay as words; the configuration is checked before.
  init(_ text: String, _ pool: inout [UInt8]) {
    var words = ""
    var rest = text[...]
    while let character = rest.first {
      if character == "{", let end = rest.firstIndex(of: "}"),
        let place = Place(rawValue: String(rest[rest.index(after: rest.startIndex)..<end]))
      {
        flush(&words, &pool)
        parts.append(.place(place))
        rest = rest[rest.index(after: end)...]
      } else {
        words.append(character)
        rest.removeFirst()
      }
    }
    flush(&words, &pool)
  }

  private mutating func flush(_ words: inout String, _ pool: inout [UInt8]) {
    if !words.isEmpty { parts.append(.words(CompiledRules.add(words, to: &pool))) }
    words = ""
  }
}
