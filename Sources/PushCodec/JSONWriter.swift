/// Writes compact JSON to the end of a reused buffer.
///
/// A comma is written before every key or element unless a container has just been opened.
struct JSONWriter: ~Copyable {
  var out = ByteBuffer()

  @inline(__always)
  mutating func comma() { out.appendComma() }

  @inline(__always)
  mutating func byte(_ byte: UInt8) { out.append(byte) }

  @inline(__always)
  mutating func raw(_ text: StaticString) {
    out.append(text)
  }

  /// `,"name":` of a name that needs no escape.
  @inline(__always)
  mutating func key(_ name: StaticString) { out.append(key: name) }

  mutating func key(_ name: Piece, _ bytes: PieceBytes) {
    comma()
    string(name, bytes)
    out.append(UInt8(ascii: ":"))
  }

  @inline(__always)
  mutating func open(_ name: StaticString) {
    key(name)
    out.append(UInt8(ascii: "{"))
  }

  @inline(__always)
  mutating func close() { out.append(UInt8(ascii: "}")) }

  /// A piece as a JSON string, also when it is a number.
  mutating func string(_ piece: Piece, _ bytes: PieceBytes) {
    if piece.form == .text { return text(piece, bytes) }
    bytes.withBytes(of: piece) { out.append(quoted: $0) }
  }

  @inline(never)
  private mutating func text(_ piece: Piece, _ bytes: PieceBytes) {
    bytes.withBytes(of: piece) { text(copy $0) }
  }

  /// Bytes as a JSON string.
  mutating func text(_ bytes: Span<UInt8>) {
    out.append(UInt8(ascii: "\""))
    JSONEscape.encode(bytes, into: &out)
    out.append(UInt8(ascii: "\""))
  }

  /// A piece as a JSON value: a number stays one.
  mutating func value(_ piece: Piece, _ bytes: PieceBytes) {
    if piece.form == .number {
      bytes.withBytes(of: piece) { out.append($0) }
    } else {
      string(piece, bytes)
    }
  }

  /// A key with a string, unless it is empty.
  @inline(__always)
  mutating func field(_ name: StaticString, _ piece: Piece, _ bytes: PieceBytes) {
    if piece.isEmpty { return }
    key(name)
    string(piece, bytes)
  }

  mutating func field(_ name: StaticString, _ text: StaticString) {
    key(name)
    out.append(UInt8(ascii: "\""))
    raw(text)
    out.append(UInt8(ascii: "\""))
  }

  mutating func field(_ name: StaticString, integer: Int64) {
    key(name)
    self.integer(integer)
  }

  mutating func text(_ text: String) {
    var text = text
    text.withUTF8 { self.text(unsafe $0.span) }
  }

  mutating func integer(_ value: Int64) {
    var rest = value.magnitude
    if value < 0 { out.append(UInt8(ascii: "-")) }
    let start = out.count
    repeat {
      out.append(0x30 + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    out.reverse(from: start)
  }
}

// Values of a scanned text.
extension JSONWriter {
  mutating func value(_ token: Int, _ content: EventContent, dropsNulls: Bool = false) {
    content.bytes.withItem { item in
      content.tokens.withSpan { tokens in
        value(token, copy tokens, copy item, dropsNulls: dropsNulls)
      }
    }
  }

  mutating func string(_ token: Int, _ content: EventContent) {
    content.bytes.withItem { string(content.tokens[token], copy $0) }
  }

  /// A value as given, without blanks, its strings in the shortest form. Digits are untouched.
  /// With `dropsNulls` members that are null are left out at every level.
  mutating func value(
    _ index: Int, _ tokens: Span<JSONToken>, _ source: Span<UInt8>, dropsNulls: Bool = false
  ) {
    let token = tokens[index]
    switch token.kind {
    case .string: string(token, source)
    case .object, .array:
      container(index, tokens, source, dropsNulls)
    case .number, .yes, .no, .null: copy(token.range, source)
    }
  }

  private mutating func container(
    _ index: Int, _ tokens: Span<JSONToken>, _ source: Span<UInt8>, _ dropsNulls: Bool
  ) {
    let token = tokens[index]
    let isObject = token.kind == .object
    out.append(isObject ? UInt8(ascii: "{") : UInt8(ascii: "["))
    var at = index + 1
    while at < Int(token.next) {
      let value = isObject ? at + 1 : at
      if !(isObject && dropsNulls && tokens[value].kind == .null) {
        comma()
        if isObject {
          string(tokens[at], source)
          out.append(UInt8(ascii: ":"))
        }
        // As deep as the scanner allows, which is 64.
        self.value(value, tokens, source, dropsNulls: dropsNulls)
      }
      at = Int(tokens[value].next)
    }
    out.append(isObject ? UInt8(ascii: "}") : UInt8(ascii: "]"))
  }

  mutating func string(_ token: JSONToken, _ source: Span<UInt8>) {
    if token.hasEscapes {
      out.append(UInt8(ascii: "\""))
      transcode(token.range, source)
      out.append(UInt8(ascii: "\""))
    } else {
      out.append(quoted: source.extracting(token.range))
    }
  }

  @inline(__always)
  mutating func copy(_ range: Range<Int>, _ source: Span<UInt8>) {
    out.append(source.extracting(range))
  }

  /// The inside of a string again with only the escapes that JSON demands; the number of bytes
  /// that the text itself has.
  @discardableResult
  mutating func transcode(_ range: Range<Int>, _ source: Span<UInt8>) -> Int {
    var decoded: [UInt8] = []
    JSONEscape.decode(source, range, into: &decoded)
    JSONEscape.encode(decoded.span, into: &out)
    return decoded.count
  }
}
