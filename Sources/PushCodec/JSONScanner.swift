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
  /// The tokens as they come. While an array or object is open its `next` is the one around it.
  private var found = Row<JSONToken>(capacity: Self.usualTokens)
  private let maximumDepth: Int
  private let maximumDigits: Int

  /// Tokens of an ordinary event fit without growing.
  static let usualTokens = 256

  package init(maximumDepth: Int = 64, maximumDigits: Int = 1_000) {
    self.maximumDepth = maximumDepth
    self.maximumDigits = maximumDigits
  }

  /// Fills `tokens` from the text; they are there only when nothing is thrown.
  package mutating func scan(_ bytes: Span<UInt8>) throws(JSONFault) {
    tokens.removeAll(keepingCapacity: true)
    try read(bytes)
    found.copy(to: &tokens)
  }

  /// Fills a row with the text's tokens, and takes its memory for the next text.
  mutating func scan(
    _ bytes: Span<UInt8>, exchanging other: inout Row<JSONToken>
  ) throws(JSONFault) {
    try read(bytes)
    swap(&found, &other)
  }

  private mutating func read(_ bytes: Span<UInt8>) throws(JSONFault) {
    // A token holds places as 32 bits.
    precondition(bytes.count <= Int(Int32.max))
    found.removeAll()
    brokenStrings = 0
    hasInvalidUTF8 = false
    var at = 0
    if bytes.count >= 3, bytes[0] == 0xEF, bytes[1] == 0xBB, bytes[2] == 0xBF { at = 3 }
    at = try values(bytes, from: at)
    Self.skipSpace(bytes, &at)
    guard at == bytes.count else { throw .malformed(at: at, .trailingBytes) }
  }

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
    if at < bytes.count {
      // A place is never below 0.
      let byte = unsafe bytes[unchecked: at]
      if byte > 0x20 { return byte }
      skipSpace(bytes, &at)
    }
    guard at < bytes.count else { throw .malformed(at: at, .unexpectedEnd) }
    return bytes[at]
  }

  /// Reads the outermost value with all that it holds; the place behind it.
  private mutating func values(
    _ bytes: Span<UInt8>, from start: Int
  ) throws(JSONFault) -> Int {
    var at = start
    var around = Around()
    var isKeyDue = false
    while true {
      let byte = try Self.next(bytes, &at)
      if byte == UInt8(ascii: "\"") {
        at = try string(bytes, at)
        if isKeyDue {
          guard try Self.next(bytes, &at) == UInt8(ascii: ":") else {
            throw .malformed(at: at, .unexpectedByte)
          }
          at &+= 1
          isKeyDue = false
          continue
        }
      } else if isKeyDue {
        throw .malformed(at: at, .unexpectedByte)
      } else if byte == UInt8(ascii: "{") || byte == UInt8(ascii: "[") {
        try open(byte == UInt8(ascii: "{"), &around, at)
        at &+= 1
        if try Self.next(bytes, &at) != around.closing {
          isKeyDue = around.isObject
          continue
        }
        at &+= 1
        close(&around, at)
      } else {
        at = try scalar(byte, bytes, at)
      }
      // What stands between this value and the next.
      while true {
        if around.depth == 0 { return at }
        let byte = try Self.next(bytes, &at)
        if byte == UInt8(ascii: ",") { break }
        guard byte == around.closing else { throw .malformed(at: at, .unexpectedByte) }
        at &+= 1
        close(&around, at)
      }
      at &+= 1
      isKeyDue = around.isObject
    }
  }

  /// The array or object around the place reached.
  private struct Around {
    var token = 0
    var depth = 0
    var isObject = false
    /// What ends it.
    var closing: UInt8 { isObject ? UInt8(ascii: "}") : UInt8(ascii: "]") }
  }

  @inline(__always)
  private mutating func open(
    _ isObject: Bool, _ around: inout Around, _ at: Int
  ) throws(JSONFault) {
    guard around.depth < maximumDepth else { throw .tooDeep(at: at) }
    let start = Int32(truncatingIfNeeded: at)
    let outer = Int32(truncatingIfNeeded: around.token)
    around = Around(token: found.count, depth: around.depth &+ 1, isObject: isObject)
    found.append(
      JSONToken(kind: isObject ? .object : .array, start: start, end: start, next: outer))
  }

  /// - Parameter end: the place behind its last byte.
  @inline(__always)
  private mutating func close(_ around: inout Around, _ end: Int) {
    var token = found[around.token]
    let outer = Int(token.next)
    token.end = Int32(truncatingIfNeeded: end)
    token.next = Int32(truncatingIfNeeded: found.count)
    found[around.token] = token
    around = Around(
      token: outer, depth: around.depth &- 1, isObject: found[outer].kind == .object)
  }

  private mutating func scalar(
    _ byte: UInt8, _ bytes: Span<UInt8>, _ at: Int
  ) throws(JSONFault) -> Int {
    switch byte {
    case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number(bytes, at)
    case UInt8(ascii: "t"): try word(bytes, at, "true", .yes)
    case UInt8(ascii: "f"): try word(bytes, at, "false", .no)
    case UInt8(ascii: "n"): try word(bytes, at, "null", .null)
    default: throw .malformed(at: at, .unexpectedByte)
    }
  }

  private mutating func word(
    _ bytes: Span<UInt8>, _ start: Int, _ text: StaticString, _ kind: JSONToken.Kind
  ) throws(JSONFault) -> Int {
    let end = start + text.utf8CodeUnitCount
    guard end <= bytes.count else { throw .malformed(at: start, .unexpectedEnd) }
    guard bytes.extracting(start..<end).isSame(as: text) else {
      throw .malformed(at: start, .unexpectedByte)
    }
    append(kind, start, end)
    return end
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
  /// A string, the place being its quote; the place behind it.
  @inline(__always)
  private mutating func string(_ bytes: Span<UInt8>, _ at: Int) throws(JSONFault) -> Int {
    let start = at &+ 1
    let end = PlainText.end(bytes, from: start)
    guard end < bytes.count, bytes[end] == UInt8(ascii: "\"") else {
      return try longString(bytes, start, end)
    }
    append(.string, start, end)
    return end &+ 1
  }

  /// A string with more in it than plain ASCII, which goes on at `middle`.
  @inline(never)
  private mutating func longString(
    _ bytes: Span<UInt8>, _ start: Int, _ middle: Int
  ) throws(JSONFault) -> Int {
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
      i = PlainText.end(bytes, from: i)
    }
    append(.string, start, i)
    if isBroken { brokenStrings += 1 }
    found[found.count - 1].hasEscapes = hasEscapes
    found[found.count - 1].isBroken = isBroken
    return i + 1
  }

  /// Passes characters beyond ASCII.
  private mutating func otherScript(
    _ bytes: Span<UInt8>, from start: Int, broken: inout Bool
  ) -> Int {
    var i = start
    while i < bytes.count, bytes[i] >= 0x80 {
      if i &+ 4 <= bytes.count {
        // Four bytes from `i` are inside `bytes`; any bits are a UInt32.
        let word = unsafe bytes.bytes.unsafeLoadUnaligned(
          fromUncheckedByteOffset: i, as: UInt32.self)
        // A lead and two continuations: Hangul, kana, most of Han. E0 and ED have rules of their own.
        if word & 0xC0_C0F0 == 0x80_80E0, word & 0xFF != 0xE0, word & 0xFF != 0xED {
          i &+= 3
          continue
        }
      }
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
  @inline(__always)
  private mutating func number(_ bytes: Span<UInt8>, _ start: Int) throws(JSONFault) -> Int {
    var i = start
    if bytes[i] == UInt8(ascii: "-") { i += 1 }
    let first = i
    i = try Self.digits(bytes, from: i)
    // No leading zeros.
    if i > first + 1, bytes[first] == UInt8(ascii: "0") { throw .malformed(at: first, .badNumber) }
    var isWhole = true
    if i < bytes.count, bytes[i] == UInt8(ascii: ".") || bytes[i] | 0x20 == UInt8(ascii: "e") {
      isWhole = false
      i = try Self.fraction(bytes, from: i)
    }
    guard i - start <= maximumDigits else { throw .numberTooLong(at: start) }
    var token = JSONToken(
      kind: .number, start: Int32(truncatingIfNeeded: start), end: Int32(truncatingIfNeeded: i),
      next: Int32(truncatingIfNeeded: found.count &+ 1))
    token.isWhole = isWhole
    found.append(token)
    return i
  }

  /// The end of a fraction and an exponent.
  private static func fraction(
    _ bytes: Span<UInt8>, from start: Int
  ) throws(JSONFault) -> Int {
    var i = start
    if bytes[i] == UInt8(ascii: ".") { i = try digits(bytes, from: i + 1) }
    if i < bytes.count, bytes[i] | 0x20 == UInt8(ascii: "e") {
      i += 1
      if i < bytes.count, bytes[i] == UInt8(ascii: "+") || bytes[i] == UInt8(ascii: "-") {
        i += 1
      }
      i = try digits(bytes, from: i)
    }
    return i
  }

  /// The end of at least one digit.
  @inline(__always)
  private static func digits(_ bytes: Span<UInt8>, from start: Int) throws(JSONFault) -> Int {
    var i = start
    // A place is never below 0.
    while i < bytes.count, unsafe bytes[unchecked: i] &- UInt8(ascii: "0") < 10 { i &+= 1 }
    guard i > start else { throw .malformed(at: start, .badNumber) }
    return i
  }
}
