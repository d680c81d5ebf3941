import PushModel

/// Broken Unicode: repaired in display text, refused anywhere else (cases/README.md, decisions).
enum UnicodeCheck {
  /// Throws when a string outside the lists and the display texts is broken.
  static func event(
    _ content: EventContent, _ fields: borrowing Fields<EventKey>
  ) throws(EventFault) {
    if content.brokenStrings == 0 { return }
    let display = displayTokens(content)
    var key = 1
    while key < Int(content.tokens[0].next) {
      let value = key + 1
      // Faults inside the lists stop a device or a recipient only.
      let isList = value == fields[.devices] || value == fields[.recipients]
      let last = isList ? value : Int(content.tokens[value].next)
      for token in key..<last
      where content.tokens[token].isBroken && !display.contains(token) {
        let name = content.tokens[key].isBroken ? "a key" : content.shownKey(key)
        throw EventFault(.invalidEvent, "\(name): broken Unicode")
      }
      key = Int(content.tokens[value].next)
    }
  }

  /// True when a string of this value is broken.
  static func isBroken(_ token: Int, _ content: EventContent) -> Bool {
    if content.brokenStrings == 0 { return false }
    return (token..<Int(content.tokens[token].next)).contains { content.tokens[$0].isBroken }
  }

  private static func displayTokens(_ content: EventContent) -> Set<Int> {
    var display: Set<Int> = []
    for name in ["title", "subtitle", "body"] {
      if let token = content.member(name, of: 0) { display.insert(token) }
    }
    for (part, name) in [("sender", "name"), ("room", "name"), ("message", "text")] {
      if let object = content.member(part, of: 0), content.tokens[object].kind == .object,
        let token = content.member(name, of: object)
      {
        display.insert(token)
      }
    }
    return display
  }
}

// Members by name, for the rare ways.
extension EventContent {
  /// The value of the last key of this name.
  func member(_ name: String, of object: Int) -> Int? {
    let wanted = [UInt8](name.utf8)
    var found: Int?
    var key = object + 1
    while key < Int(tokens[object].next) {
      if decodedKey(key) == wanted { found = key + 1 }
      key = Int(tokens[key + 1].next)
    }
    return found
  }

  /// A key without its quotes.
  func shownKey(_ token: Int) -> String {
    String(shown(token).dropFirst().dropLast())
  }
}
