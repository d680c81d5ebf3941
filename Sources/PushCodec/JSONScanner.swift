/// Reads a JSON text once and leaves its tokens; nothing is copied, nothing recurses.
///
/// RFC 8259 to the letter, with three rules of ours: a byte order mark in front is skipped, broken
/// Unicode inside a string is marked instead of refused, and limits bound depth and numbers.
package struct JSONScanner: ~Copyable {
  package private(set) var tokens: [JSONToken] = []
  /// Strings with broken Unicode, keys among them.
  package private(set) var brokenStrings = 0
  /// True when the text is not UTF-8 as a whole.
  package private(set) var hasInvalidUTF8 = false
  /// The tokens as they come; `tokens` gets them at the end.
  private var found = TokenBuffer()
  /// The arrays and objects around the place reached.
  private var open: [Int32] = []
  private let maximumDepth: Int
  private let maximumDigits: Int

  package init(maximumDepth: Int = 64, maximumDigits: Int = 1_000) {
    self.maximumDepth = maximumDepth
    self.maximumDigits = maximumDigits
    open.reserveCapacity(maximumDepth)
  }

  /// Fills `tokens` from the text; they are there only when nothing is thrown.
  package mutating func scan(_ bytes: Span<UInt8>) throws(JSONFault) {
    // A token holds places as 32 bits.
    precondition(bytes.count <= Int(Int32.max))
    tokens.removeAll(keepingCapacity: true)
    found.removeAll()
    open.removeAll(keepingCapacity: true)
    brokenStrings = 0
    hasInvalidUTF8 = false
    var at = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { at = 3 }
    repeat { try value(bytes, &at) } while try hasMore(bytes, &at)
    Self.skipSpace(bytes, &at)
    guard at == bytes.count else { throw .malformed(at: at, .trailingBytes) }
    found.copy(to: &tokens)
  }

  /// Lets go of memory that one large text needed.
  package mutating func shrink(above count: Int) {
    if tokens.capacity > count { tokens = [] }
    found.shrink(above: count)
  }

  /// Gives the tokens away and takes another buffer for the next text.
  mutating func exchange(_ other: inout [JSONToken]) { swap(&tokens, &other) }

  @inline(__always)
  private static func skipSpace(_ bytes: Span<UInt8>, _ at: inout Int) {
    while at < bytes.count, bytes[at] <= 0x20 {
      guard bytes[at] == 0x20 || bytes[at] == 0x0A || bytes[at] == 0x0D || bytes[at] == 0x09
      else { return }
      at &+= 1
    }
  }

  /// The next byte that is no space.
  @inline(__always)
  private static func next(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) -> UInt8 {
    skipSpace(bytes, &at)
    guard at < bytes.count else { throw .malformed(at: at, .unexpectedEnd) }
    return bytes[at]
  }

  /// Reads a value, or what opens it up to the first value inside.
  @inline(__always)
  private mutating func value(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) {
    while true {
      let byte = try Self.next(bytes, &at)
      if byte == UInt8(ascii: "\"") { return try string(bytes, &at) }
      guard byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") else {
        return try scalar(byte, bytes, &at)
      }
      let isObject = byte == UInt8(ascii: "{")
      try push(isObject ? .object : .array, &at)
      let first = try Self.next(bytes, &at)
      if first == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) { return close(&at) }
      if isObject { try key(bytes, &at) }
    }
  }

  /// Passes what stands between a value and the next; false at the end of the outermost one.
  @inline(__always)
  private mutating func hasMore(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) -> Bool {
    while let container = open.last {
      let isObject = found[Int(container)].kind == .object
      let byte = try Self.next(bytes, &at)
      if byte == UInt8(ascii: ",") {
        at &+= 1
        if isObject { try key(bytes, &at) }
        return true
      }
      guard byte == (isObject ? UInt8(ascii: "}") : UInt8(ascii: "]")) else {
        throw .malformed(at: at, .unexpectedByte)
      }
      close(&at)
    }
    return false
  }

  private mutating func scalar(
    _ byte: UInt8, _ bytes: Span<UInt8>, _ at: inout Int
  ) throws(JSONFault) {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"):
      try number(bytes, &at)
    case UInt8(ascii: "t"):
      try word(bytes, &at, "true", .yes)
    case UInt8(ascii: "f"):
      try word(bytes, &at, "false", .no)
    case UInt8(ascii: "n"):
      try word(bytes, &at, "null", .null)
    default:
      throw .malformed(at: at, .unexpectedByte)
    }
  }

  private mutating func push(_ kind: JSONToken.Kind, _ at: inout Int) throws(JSONFault) {
    guard open.count < maximumDepth else { throw .tooDeep(at: at) }
    open.append(Int32(truncatingIfNeeded: found.count))
    append(kind, at, at)
    at &+= 1
  }

  private mutating func close(_ at: inout Int) {
    at &+= 1
    let index = Int(open.removeLast())
    found[index].end = Int32(truncatingIfNeeded: at)
    found[index].next = Int32(truncatingIfNeeded: found.count)
  }

  /// A key and its colon.
  @inline(__always)
  private mutating func key(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) {
    guard try Self.next(bytes, &at) == UInt8(ascii: "\"") else {
      throw .malformed(at: at, .unexpectedByte)
    }
    try string(bytes, &at)
    guard try Self.next(bytes, &at) == UInt8(ascii: ":") else {
      throw .malformed(at: at, .unexpectedByte)
    }
    at &+= 1
  }

  private mutating func word(
    _ bytes: Span<UInt8>, _ at: inout Int, _ text: StaticString, _ kind: JSONToken.Kind
  ) throws(JSONFault) {
    let count = text.utf8CodeUnitCount
    let start = at
    guard start + count <= bytes.count else { throw .malformed(at: start, .unexpectedEnd) }
    let matches = text.withUTF8Buffer { text in
      for i in 0..<count where unsafe bytes[start + i] != text[i] { return false }
      return true
    }
    guard matches else { throw .malformed(at: start, .unexpectedByte) }
    append(kind, start, start + count)
    at = start + count
  }

  @inline(__always)
  private mutating func append(_ kind: JSONToken.Kind, _ start: Int, _ end: Int) {
    found.append(
      JSONToken(
        kind: kind, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: end),
        next: Int32(truncatingIfNeeded: found.count &+ 1)))
  }
}

// Strings.
extension JSONScanner {
  /// A string, the place being its quote.
  private mutating func string(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) {
    let start = at &+ 1
    let end = Self.endOfPlain(bytes, from: start)
    if end < bytes.count, bytes[end] == UInt8(ascii: "\"") {
      append(.string, start, end)
      at = end &+ 1
    } else {
      try longString(bytes, start, end, &at)
    }
  }

  /// A string with more in it than plain ASCII, which goes on at `middle`.
  private mutating func longString(
    _ bytes: Span<UInt8>, _ start: Int, _ middle: Int, _ at: inout Int
  ) throws(JSONFault) {
    var i = middle
    var hasEscapes = false
    var isBroken = false
    while true {
      guard i < bytes.count else { throw .malformed(at: i, .unexpectedEnd) }
      let byte = bytes[i]
      if byte == UInt8(ascii: "\"") { break }
      if byte == UInt8(ascii: "\\") {
        hasEscapes = true
        i = try Self.escape(bytes, at: i, broken: &isBroken)
      } else if byte >= 0x80 {
        i = otherScript(bytes, from: i, broken: &isBroken)
      } else {
        throw .malformed(at: i, .controlCharacter)
      }
      i = Self.endOfPlain(bytes, from: i)
    }
    append(.string, start, i)
    if isBroken { brokenStrings += 1 }
    found[found.count - 1].hasEscapes = hasEscapes
    found[found.count - 1].isBroken = isBroken
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
  private mutating func number(_ bytes: Span<UInt8>, _ at: inout Int) throws(JSONFault) {
    let start = at
    var i = at
    if bytes[i] == UInt8(ascii: "-") { i += 1 }
    let whole = try Self.digits(bytes, from: i)
    // No leading zeros.
    if whole > i + 1, bytes[i] == UInt8(ascii: "0") { throw .malformed(at: i, .badNumber) }
    i = whole
    if i < bytes.count, bytes[i] == UInt8(ascii: ".") { i = try Self.digits(bytes, from: i + 1) }
    if i < bytes.count, bytes[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < bytes.count, bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") {
        i += 1
      }
      i = try Self.digits(bytes, from: i)
    }
    guard i - start <= maximumDigits else { throw .numberTooLong(at: start) }
    append(.number, start, i)
    at = i
  }

  /// The end of at least one digit.
  private static func digits(_ bytes: Span<UInt8>, from start: Int) throws(JSONFault) -> Int {
    var i = start
    while i < bytes.count, bytes[i] &- UInt8(ascii: "0") < 10 { i += 1 }
    guard i > start else { throw .malformed(at: start, .badNumber) }
    return i
  }
}
