import PushModel

/// Everything decoded from one item; its arrays keep their memory from event to event.
///
/// A class, since as a struct it was copied at every second call: a quarter of the time of decoding.
/// One thread reads or writes it at a time and no access overlaps another, so none is checked at run
/// time.
final class EventContent {
  let bytes: PieceBytes
  @safe @exclusivity(unchecked) var tokens = Row<JSONToken>(capacity: JSONScanner.usualTokens)
  @safe @exclusivity(unchecked) var brokenStrings = 0
  @safe @exclusivity(unchecked) var hasInvalidUTF8 = false
  @safe @exclusivity(unchecked) var facts = EventFacts()
  @safe @exclusivity(unchecked) var entries = Row<DataEntry>(capacity: 16)
  @safe @exclusivity(unchecked) var recipients = Row<RecipientFacts>(capacity: 1)
  @safe @exclusivity(unchecked) var targets: [PushTarget] = []
  @safe @exclusivity(unchecked) var faults: [EventFault] = []
  /// The event's `fcm` block in snake_case, when it has one.
  @safe @exclusivity(unchecked) var fcmBlock: JSONText?

  init(rules: FixedBytes) { bytes = PieceBytes(rules: rules) }

  /// Empties all and keeps the memory, unless one large event made it large.
  func reset() {
    bytes.reset()
    tokens.shrink(above: 16_384, to: JSONScanner.usualTokens)
    // Places of another item must never be looked up in the next one.
    tokens.removeAll()
    if targets.capacity > 4_096 { targets = [] }
    recipients.shrink(above: 4_096, to: 1)
    facts = EventFacts()
    entries.shrink(above: 4_096, to: 16)
    entries.removeAll()
    recipients.removeAll()
    targets.removeAll(keepingCapacity: true)
    if !faults.isEmpty { faults = [] }
    fcmBlock = nil
  }

  /// Notes a fault; its index.
  func add(_ fault: EventFault) -> Int32 {
    faults.append(fault)
    return Int32(faults.count - 1)
  }
}

// Reading values.
extension EventContent {
  /// The known fields of an object.
  func fields<Key>(of object: Int, _ table: KeyTable<Key>) -> Fields<Key> {
    var fields = Fields(table)
    bytes.withItem { item in
      let end = Int(tokens[object].next)
      var at = object &+ 1
      while at < end {
        let key = tokens[at]
        let value = tokens[at &+ 1]
        if let found = find(key, table, copy item) {
          fields.set(found, keyToken: at, value: at &+ 1, isNull: value.kind == .null)
        } else {
          fields.unknown &+= 1
        }
        at = Int(value.next)
      }
    }
    if fields.unknown > 1, fields.repeated == nil { fields.repeated = repeatedKey(in: object) }
    return fields
  }

  @inline(__always)
  private func find<Key>(
    _ key: JSONToken, _ table: KeyTable<Key>, _ item: Span<UInt8>
  ) -> UInt8? {
    key.hasEscapes
      ? findDecoded(key, table, item) : table.find(item, at: Int(key.start), count: key.count)
  }

  private func findDecoded<Key>(
    _ key: JSONToken, _ table: KeyTable<Key>, _ item: Span<UInt8>
  ) -> UInt8? {
    var name: [UInt8] = []
    JSONEscape.decode(item, key.range, into: &name)
    return table.find(name.span, at: 0, count: name.count)
  }

  /// The text of a string token, its escapes decoded and its broken Unicode replaced.
  @inline(__always)
  func text(_ token: Int) -> Piece {
    let token = tokens[token]
    return token.hasEscapes || token.isBroken ? decoded(token) : Piece(token)
  }

  private func decoded(_ token: JSONToken) -> Piece {
    let start = bytes.arena.count
    bytes.withItem { JSONEscape.decode(copy $0, token.range, into: &bytes.arena) }
    if token.isBroken {
      facts.repairs += 1
      let repaired = bytes.string(Piece(.arena, start..<bytes.arena.count))
      bytes.arena.truncate(to: start)
      bytes.arena.append(repaired)
    }
    return Piece(.arena, start..<bytes.arena.count, .text)
  }

  /// A string field; absent stays absent.
  ///
  /// This one and those below are part of their caller, and a path is made for a fault only: most
  /// fields of an event are absent, and hardly one is wrong.
  @inline(__always)
  func string(
    _ token: Int?, _ path: @autoclosure () -> FieldPath
  ) throws(EventFault) -> Piece {
    guard let token else { return .none }
    guard tokens[token].kind == .string else { throw .invalid(path(), "not a string") }
    return text(token)
  }

  /// A field that is a string or an integer, such as a room's id.
  @inline(__always)
  func identifier(
    _ token: Int?, _ path: @autoclosure () -> FieldPath
  ) throws(EventFault) -> Piece {
    guard let token else { return .none }
    if tokens[token].kind == .string { return text(token) }
    guard tokens[token].isWhole else {
      throw .invalid(path(), "neither a string nor an integer")
    }
    return Piece(tokens[token], .number)
  }

  @inline(__always)
  func flag(
    _ token: Int?, _ path: @autoclosure () -> FieldPath
  ) throws(EventFault) -> Bool {
    guard let token else { return false }
    guard tokens[token].isBool else { throw .invalid(path(), "neither true nor false") }
    return tokens[token].kind == .yes
  }

  @inline(__always)
  func object(
    _ token: Int?, _ path: @autoclosure () -> FieldPath
  ) throws(EventFault) -> Int? {
    guard let token else { return nil }
    guard tokens[token].kind == .object else { throw .invalid(path(), "not an object") }
    return token
  }

  /// An integer in a range; the fault shows what was given.
  @inline(__always)
  func integer(
    _ token: Int?, in range: ClosedRange<Int64>, _ path: @autoclosure () -> FieldPath
  ) throws(EventFault) -> Int64? {
    guard let token else { return nil }
    guard let value = integer(tokens[token]), range.contains(value) else {
      let allowed = "\(range.lowerBound) to \(range.upperBound)"
      throw .invalid(path(), "\(shown(token)) is not an integer from \(allowed)")
    }
    return value
  }

  func integer(_ token: JSONToken) -> Int64? {
    guard token.isWhole, token.count <= 19 else { return nil }
    return bytes.withBytes(of: Piece(token)) { digits in
      let isNegative = digits[0] == UInt8(ascii: "-")
      // At most 19 digits, which 64 bits without a sign always hold.
      var value: UInt64 = 0
      for at in (isNegative ? 1 : 0)..<digits.count {
        value = value &* 10 &+ UInt64(digits[at] &- 0x30)
      }
      guard let whole = Int64(exactly: value) else { return nil }
      return isNegative ? -whole : whole
    }
  }

  func double(_ token: JSONToken) -> Double? {
    guard token.kind == .number else { return nil }
    return Double(bytes.string(Piece(token)))
  }

  /// A value for a dead letter's detail: short, printable, quoted when it is a string.
  func shown(_ token: Int) -> String {
    let token = tokens[token]
    switch token.kind {
    case .object: return "an object"
    case .array: return "an array"
    case .null: return "null"
    case .yes: return "true"
    case .no: return "false"
    case .number, .string:
      let text = bytes.string(Piece(token))
      let short = text.unicodeScalars.prefix(24).filter { $0.value >= 0x20 && $0.value != 0x7F }
      let words = String(String.UnicodeScalarView(short)) + (text.count > 24 ? "…" : "")
      return token.kind == .string ? "\"\(words)\"" : words
    }
  }
}

// Keys given twice.
extension EventContent {
  /// The key token that repeats an earlier key of the same object.
  func repeatedKey(in object: Int) -> Int? {
    let end = Int(tokens[object].next)
    var count = 0
    var simple = true
    var at = object + 1
    while at < end {
      count += 1
      if tokens[at].hasEscapes { simple = false }
      at = Int(tokens[at + 1].next)
    }
    if count < 2 { return nil }
    return simple && count <= 16
      ? repeatedByPairs(object + 1, end) : repeatedBySet(object + 1, end, count)
  }

  private func repeatedByPairs(_ first: Int, _ end: Int) -> Int? {
    var key = first
    while key < end {
      var other = first
      while other < key {
        let same = bytes.areEqual(Piece(tokens[key]), Piece(tokens[other]))
        if same { return key }
        other = Int(tokens[other + 1].next)
      }
      key = Int(tokens[key + 1].next)
    }
    return nil
  }

  private func repeatedBySet(_ first: Int, _ end: Int, _ count: Int) -> Int? {
    var seen = Set<[UInt8]>(minimumCapacity: count)
    var key = first
    while key < end {
      if !seen.insert(decodedKey(key)).inserted { return key }
      key = Int(tokens[key + 1].next)
    }
    return nil
  }

  func decodedKey(_ token: Int) -> [UInt8] {
    var name: [UInt8] = []
    bytes.withItem { JSONEscape.decode(copy $0, tokens[token].range, into: &name) }
    return name
  }
}
