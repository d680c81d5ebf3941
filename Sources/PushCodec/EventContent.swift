import PushModel

/// Everything decoded from one item; its arrays keep their memory from event to event.
///
/// A class, since as a struct it was copied at every second call: a quarter of the time of decoding.
/// One thread reads or writes it at a time and no access overlaps another, so none is checked at run
/// time.
final class EventContent {
  let bytes: PieceBytes
  @safe @exclusivity(unchecked) var tokens: [JSONToken] = []
  @safe @exclusivity(unchecked) var brokenStrings = 0
  @safe @exclusivity(unchecked) var hasInvalidUTF8 = false
  @safe @exclusivity(unchecked) var facts = EventFacts()
  @safe @exclusivity(unchecked) var entries: [DataEntry] = []
  @safe @exclusivity(unchecked) var recipients: [RecipientFacts] = []
  @safe @exclusivity(unchecked) var targets: [PushTarget] = []
  @safe @exclusivity(unchecked) var faults: [EventFault] = []
  @safe @exclusivity(unchecked) var queueID = ""
  /// The event's `fcm` block in snake_case, when it has one.
  @safe @exclusivity(unchecked) var fcmBlock: JSONText?

  init(rules: [UInt8]) { bytes = PieceBytes(rules: rules) }

  /// Empties all and keeps the memory, unless one large event made it large.
  func reset() {
    bytes.item = []
    if bytes.arena.capacity > 65_536 { bytes.arena = [] }
    bytes.arena.removeAll(keepingCapacity: true)
    if tokens.capacity > 16_384 { tokens = [] }
    // Places of another item must never be looked up in the next one.
    tokens.removeAll(keepingCapacity: true)
    if targets.capacity > 4_096 { targets = [] }
    if recipients.capacity > 4_096 { recipients = [] }
    facts = EventFacts()
    entries.removeAll(keepingCapacity: true)
    recipients.removeAll(keepingCapacity: true)
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
    let item = bytes.item
    let span = item.span
    let end = Int(tokens[object].next)
    var at = object + 1
    while at < end {
      let key = tokens[at]
      let value = tokens[at + 1]
      if let found = find(key, table, span) {
        fields.set(found, keyToken: at, value: at + 1, isNull: value.kind == .null)
      } else {
        fields.unknown += 1
      }
      at = Int(value.next)
    }
    if fields.unknown > 1, fields.repeated == nil { fields.repeated = repeatedKey(in: object) }
    return fields
  }

  @inline(__always)
  private func find<Key>(
    _ key: JSONToken, _ table: KeyTable<Key>, _ span: Span<UInt8>
  ) -> UInt8? {
    if !key.hasEscapes { return table.find(span, key.range) }
    var name: [UInt8] = []
    JSONEscape.decode(span, key.range, into: &name)
    return table.find(name.span, 0..<name.count)
  }

  /// The text of a string token, its escapes decoded and its broken Unicode replaced.
  func text(_ token: Int) -> Piece {
    let token = tokens[token]
    if !token.hasEscapes, !token.isBroken { return Piece(.item, token.range) }
    let item = bytes.item
    let start = bytes.arena.count
    JSONEscape.decode(item.span, token.range, into: &bytes.arena)
    if token.isBroken {
      facts.repairs += 1
      let repaired = String(decoding: bytes.arena[start...], as: UTF8.self)
      bytes.arena.removeSubrange(start...)
      bytes.arena.append(contentsOf: repaired.utf8)
    }
    return Piece(.arena, start..<bytes.arena.count, .text)
  }

  /// A string field; absent stays absent.
  func string(_ token: Int?, _ path: FieldPath) throws(EventFault) -> Piece {
    guard let token else { return .none }
    guard tokens[token].kind == .string else { throw .invalid(path, "not a string") }
    return text(token)
  }

  /// A field that is a string or an integer, such as a room's id.
  func identifier(_ token: Int?, _ path: FieldPath) throws(EventFault) -> Piece {
    guard let token else { return .none }
    if tokens[token].kind == .string { return text(token) }
    guard tokens[token].kind == .number, isInteger(tokens[token]) else {
      throw .invalid(path, "neither a string nor an integer")
    }
    return Piece(.item, tokens[token].range, .number)
  }

  func flag(_ token: Int?, _ path: FieldPath) throws(EventFault) -> Bool {
    guard let token else { return false }
    guard tokens[token].isBool else { throw .invalid(path, "neither true nor false") }
    return tokens[token].kind == .yes
  }

  func object(_ token: Int?, _ path: FieldPath) throws(EventFault) -> Int? {
    guard let token else { return nil }
    guard tokens[token].kind == .object else { throw .invalid(path, "not an object") }
    return token
  }

  /// An integer in a range; the fault shows what was given.
  func integer(
    _ token: Int?, in range: ClosedRange<Int64>, _ path: FieldPath
  ) throws(EventFault) -> Int64? {
    guard let token else { return nil }
    guard let value = integer(tokens[token]), range.contains(value) else {
      let allowed = "\(range.lowerBound) to \(range.upperBound)"
      throw .invalid(path, "\(shown(token)) is not an integer from \(allowed)")
    }
    return value
  }

  /// Digits only: no fraction, no exponent.
  func isInteger(_ token: JSONToken) -> Bool {
    let item = bytes.item
    let span = item.span
    for i in token.range where span[i] == 0x2E || span[i] | 0x20 == 0x65 { return false }
    return true
  }

  func integer(_ token: JSONToken) -> Int64? {
    guard token.kind == .number, token.count <= 19 else { return nil }
    let item = bytes.item
    let span = item.span
    var value: Int64 = 0
    let negative = span[Int(token.start)] == UInt8(ascii: "-")
    for i in token.range.dropFirst(negative ? 1 : 0) {
      // What is no digit in a number is its point or exponent.
      let digit = span[i] &- 0x30
      guard digit < 10 else { return nil }
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, carry) = tens.addingReportingOverflow(Int64(digit))
      if over || carry { return nil }
      value = sum
    }
    return negative ? -value : value
  }

  func double(_ token: JSONToken) -> Double? {
    guard token.kind == .number else { return nil }
    return Double(bytes.string(Piece(.item, token.range)))
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
      let text = bytes.string(Piece(.item, token.range))
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
        let same = bytes.areEqual(
          Piece(.item, tokens[key].range), Piece(.item, tokens[other].range))
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
    let item = bytes.item
    JSONEscape.decode(item.span, tokens[token].range, into: &name)
    return name
  }
}
