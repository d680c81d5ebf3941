/// Reads a JSON text once and leaves its tokens; nothing is copied, nothing recurses.
///
/// RFC 8259 to the letter, with three rules of ours: a byte order mark in front is skipped, broken
/// Unicode inside a string is marked instead of refused, and limits bound depth and numbers.
package struct JSONScanner {
  package private(set) var tokens: [JSONToken] = []
  /// Strings with broken Unicode, keys among them.
  package private(set) var brokenStrings = 0
  /// True when the text is not UTF-8 as a whole.
  package private(set) var hasInvalidUTF8 = false
  private var open: [Int32] = []
  private var at = 0
  private let maximumDepth: Int
  private let maximumDigits: Int

  /// What may come next.
  private enum Expected { case value, firstValue, key, firstKey, separator }

  package init(maximumDepth: Int = 64, maximumDigits: Int = 1_000) {
    self.maximumDepth = maximumDepth
    self.maximumDigits = maximumDigits
    open.reserveCapacity(maximumDepth)
  }

  /// Fills `tokens` from the text; they are complete only when nothing is thrown.
  package mutating func scan(_ bytes: Span<UInt8>) throws(JSONFault) {
    begin(bytes)
    var expected = Expected.value
    while true {
      skipSpace(bytes)
      guard at < bytes.count else { throw .malformed(at: at, .unexpectedEnd) }
      switch expected {
      case .value:
        expected = try value(bytes)
      case .firstValue:
        expected = bytes[at] == UInt8(ascii: "]") ? close() : try value(bytes)
      case .firstKey:
        if bytes[at] == UInt8(ascii: "}") {
          expected = close()
        } else {
          try key(bytes)
          expected = .value
        }
      case .key:
        try key(bytes)
        expected = .value
      case .separator:
        expected = try separator(bytes)
      }
      if expected == .separator, open.isEmpty { break }
    }
    skipSpace(bytes)
    guard at == bytes.count else { throw .malformed(at: at, .trailingBytes) }
  }

  /// Lets go of memory that one large text needed.
  package mutating func shrink(above count: Int) {
    if tokens.capacity > count { tokens = [] }
  }

  /// Gives the tokens away and takes another buffer for the next text.
  mutating func exchange(_ other: inout [JSONToken]) { swap(&tokens, &other) }

  private mutating func begin(_ bytes: Span<UInt8>) {
    tokens.removeAll(keepingCapacity: true)
    open.removeAll(keepingCapacity: true)
    brokenStrings = 0
    hasInvalidUTF8 = false
    at = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { at = 3 }
  }

  @inline(__always)
  private mutating func skipSpace(_ bytes: Span<UInt8>) {
    var i = at
    while i < bytes.count, bytes[i] <= 0x20 {
      guard bytes[i] == 0x20 || bytes[i] == 0x0A || bytes[i] == 0x0D || bytes[i] == 0x09 else {
        break
      }
      i += 1
    }
    at = i
  }

  private mutating func value(_ bytes: Span<UInt8>) throws(JSONFault) -> Expected {
    switch bytes[at] {
    case UInt8(ascii: "\""):
      try string(bytes)
      return .separator
    case UInt8(ascii: "{"):
      try push(.object)
      return .firstKey
    case UInt8(ascii: "["):
      try push(.array)
      return .firstValue
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try number(bytes)
    case UInt8(ascii: "t"):
      try word(bytes, "true", .yes)
    case UInt8(ascii: "f"):
      try word(bytes, "false", .no)
    case UInt8(ascii: "n"):
      try word(bytes, "null", .null)
    default:
      throw .malformed(at: at, .unexpectedByte)
    }
    return .separator
  }

  private mutating func push(_ kind: JSONToken.Kind) throws(JSONFault) {
    guard open.count < maximumDepth else { throw .tooDeep(at: at) }
    open.append(Int32(tokens.count))
    append(kind, at, at)
    at += 1
  }

  private mutating func close() -> Expected {
    at += 1
    let index = Int(open.removeLast())
    tokens[index].end = Int32(at)
    tokens[index].next = Int32(tokens.count)
    return .separator
  }

  private mutating func separator(_ bytes: Span<UInt8>) throws(JSONFault) -> Expected {
    guard let container = open.last else { throw .malformed(at: at, .trailingBytes) }
    let isObject = tokens[Int(container)].kind == .object
    switch bytes[at] {
    case UInt8(ascii: ","):
      at += 1
      return isObject ? .key : .value
    case UInt8(ascii: "}") where isObject, UInt8(ascii: "]") where !isObject:
      return close()
    default:
      throw .malformed(at: at, .unexpectedByte)
    }
  }

  private mutating func key(_ bytes: Span<UInt8>) throws(JSONFault) {
    guard bytes[at] == UInt8(ascii: "\"") else { throw .malformed(at: at, .unexpectedByte) }
    try string(bytes)
    skipSpace(bytes)
    guard at < bytes.count else { throw .malformed(at: at, .unexpectedEnd) }
    guard bytes[at] == UInt8(ascii: ":") else { throw .malformed(at: at, .unexpectedByte) }
    at += 1
  }

  private mutating func word(
    _ bytes: Span<UInt8>, _ text: StaticString, _ kind: JSONToken.Kind
  ) throws(JSONFault) {
    let count = text.utf8CodeUnitCount
    guard at + count <= bytes.count else { throw .malformed(at: at, .unexpectedEnd) }
    let matches = text.withUTF8Buffer { text in
      for i in 0..<count where unsafe bytes[at + i] != text[i] { return false }
      return true
    }
    guard matches else { throw .malformed(at: at, .unexpectedByte) }
    append(kind, at, at + count)
    at += count
  }

  private mutating func append(_ kind: JSONToken.Kind, _ start: Int, _ end: Int) {
    tokens.append(
      JSONToken(
        kind: kind, start: Int32(start), end: Int32(end), next: Int32(tokens.count + 1)))
  }
}

// Strings.
extension JSONScanner {
  private mutating func string(_ bytes: Span<UInt8>) throws(JSONFault) {
    let start = at + 1
    var i = start
    var token = JSONToken(
      kind: .string, start: Int32(start), end: 0, next: Int32(tokens.count + 1))
    while true {
      i = Self.endOfPlain(bytes, from: i)
      guard i < bytes.count else { throw .malformed(at: i, .unexpectedEnd) }
      let byte = bytes[i]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        token.hasEscapes = true
        i = try Self.escape(bytes, at: i, broken: &token.isBroken)
      } else if byte >= 0x80 {
        i = otherScript(bytes, from: i, broken: &token.isBroken)
      } else {
        throw .malformed(at: i, .controlCharacter)
      }
    }
    if token.isBroken { brokenStrings += 1 }
    token.end = Int32(i)
    tokens.append(token)
    at = i + 1
  }

  /// The first byte from `start` that is not plain ASCII: a quote, a backslash, a control
  /// character or part of a longer character. Eight bytes a step.
  @inline(__always)
  private static func endOfPlain(_ bytes: Span<UInt8>, from start: Int) -> Int {
    let ones: UInt64 = 0x0101_0101_0101_0101
    let tops: UInt64 = 0x8080_8080_8080_8080
    var i = start
    // Inside `bytes`, since the loop leaves eight bytes; any bits are a UInt64.
    let raw = unsafe bytes.bytes
    while i &+ 8 <= bytes.count {
      let word = unsafe raw.unsafeLoadUnaligned(fromByteOffset: i, as: UInt64.self)
      let quote = word ^ (ones &* 0x22)
      let slash = word ^ (ones &* 0x5C)
      // A byte's top bit is set where it is below 0x20, the quote, the backslash, or above 0x7F.
      // A borrow can only spoil bytes after the first hit, and only the first one is used.
      let below = (word &- ones &* 0x20) & ~word
      let found =
        (below | ((quote &- ones) & ~quote) | ((slash &- ones) & ~slash) | word) & tops
      if found != 0 { return i &+ found.trailingZeroBitCount / 8 }
      i &+= 8
    }
    while i < bytes.count {
      let byte = bytes[i]
      if byte < 0x20 || byte >= 0x80 || byte == 0x22 || byte == 0x5C { break }
      i &+= 1
    }
    return i
  }

  /// Passes characters beyond ASCII.
  private mutating func otherScript(
    _ bytes: Span<UInt8>, from start: Int, broken: inout Bool
  ) -> Int {
    var i = start
    while i < bytes.count, bytes[i] >= 0x80 {
      let length = UTF8Form.length(bytes, at: i)
      if length == 0 {
        broken = true
        hasInvalidUTF8 = true
        i += 1
      } else {
        i += length
      }
    }
    return i
  }

  /// Passes one escape; a surrogate pair counts as one.
  private static func escape(
    _ bytes: Span<UInt8>, at start: Int, broken: inout Bool
  ) throws(JSONFault) -> Int {
    guard start + 1 < bytes.count else { throw .malformed(at: start, .unexpectedEnd) }
    switch bytes[start + 1] {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"),
      UInt8(ascii: "f"), UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
      return start + 2
    case UInt8(ascii: "u"):
      guard let unit = JSONEscape.unit(bytes, at: start) else {
        throw .malformed(at: start, .badEscape)
      }
      guard unit >= 0xD800, unit <= 0xDFFF else { return start + 6 }
      if unit < 0xDC00, let low = JSONEscape.unit(bytes, at: start + 6), low >= 0xDC00,
        low <= 0xDFFF
      {
        return start + 12
      }
      broken = true
      return start + 6
    default:
      throw .malformed(at: start, .badEscape)
    }
  }
}

// Numbers.
extension JSONScanner {
  private mutating func number(_ bytes: Span<UInt8>) throws(JSONFault) {
    let start = at
    var i = at
    if bytes[i] == UInt8(ascii: "-") { i += 1 }
    let whole = try digits(bytes, from: i)
    // No leading zeros.
    if whole > i + 1, bytes[i] == UInt8(ascii: "0") { throw .malformed(at: i, .badNumber) }
    i = whole
    if i < bytes.count, bytes[i] == UInt8(ascii: ".") { i = try digits(bytes, from: i + 1) }
    if i < bytes.count, bytes[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < bytes.count, bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") {
        i += 1
      }
      i = try digits(bytes, from: i)
    }
    guard i - start <= maximumDigits else { throw .numberTooLong(at: start) }
    append(.number, start, i)
    at = i
  }

  /// The end of at least one digit.
  private func digits(_ bytes: Span<UInt8>, from start: Int) throws(JSONFault) -> Int {
    var i = start
    while i < bytes.count, bytes[i] &- UInt8(ascii: "0") < 10 { i += 1 }
    guard i > start else { throw .malformed(at: start, .badNumber) }
    return i
  }
}
