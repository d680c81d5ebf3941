internal import LoopIO

/// The header fields of one request or response, in order, pseudo headers first.
///
/// All values stand in one byte buffer, so that a block that is emptied and filled again allocates
/// nothing. Names must be lower case, as HTTP/2 wants them.
package struct HeaderBlock: Sendable {
  /// How much of a field HPACK's table keeps (RFC 7541 6.2).
  package enum Indexing: UInt8, Sendable {
    /// The whole field: one byte when it comes again.
    case full
    /// The name: for values that are new with each request (`apns-id`, `apns-expiration`), which
    /// would push what stays the same out of the table.
    case nameOnly
    /// Nothing, here and in what stands between: HPACK's answer to guessing attacks.
    case secret
    /// As `secret`, for one value in many requests (a bearer): its Huffman code is made once.
    case lastingSecret
  }

  struct Field {
    /// Empty when the name is known only at run time.
    var name: StaticString
    /// Of a name that stands in `bytes` before the value.
    var nameCount: Int32
    var valueStart: Int32
    var valueCount: Int32
    var indexing: Indexing
  }

  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []

  package init() {}

  package var count: Int { fields.count }

  /// All fields as texts, for a listing that a person reads.
  package var pairs: [(name: String, value: String)] {
    (0..<count).map { index in
      withField(index) { _, name, value, _ in (text(name), text(value)) }
    }
  }

  /// Calls `body` with a field: the address of a name that is part of the program, else 0; name;
  /// value; indexing.
  func withField<R>(
    _ index: Int, _ body: (UInt, Span<UInt8>, Span<UInt8>, Indexing) -> R
  ) -> R {
    let field = fields[index]
    let start = Int(field.valueStart)
    let value = bytes.span.extracting(start..<start + Int(field.valueCount))
    if field.nameCount > 0 {
      let name = bytes.span.extracting(start - Int(field.nameCount)..<start)
      return body(0, name, value, field.indexing)
    }
    let name = unsafe UnsafeBufferPointer(
      start: field.name.utf8Start, count: field.name.utf8CodeUnitCount)
    return unsafe body(UInt(bitPattern: field.name.utf8Start), name.span, value, field.indexing)
  }

  package mutating func append(
    _ name: StaticString, _ value: Span<UInt8>, _ indexing: Indexing = .full
  ) {
    let start = bytes.count
    unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    addField(name, from: start, indexing)
  }

  package mutating func append(
    _ name: StaticString, _ value: [UInt8], _ indexing: Indexing = .full
  ) {
    append(name, value.span, indexing)
  }

  package mutating func append(_ name: StaticString, _ value: StaticString) {
    let start = bytes.count
    appendBytes(value)
    addField(name, from: start, .full)
  }

  /// Adds a field whose name is known only at run time; it must be in lower case, and not empty.
  package mutating func append(_ name: [UInt8], _ value: [UInt8]) {
    bytes.append(contentsOf: name)
    let start = bytes.count
    bytes.append(contentsOf: value)
    addField("", nameCount: name.count, from: start, .full)
  }

  /// Adds a field whose value is a whole number in decimal.
  package mutating func append(
    _ name: StaticString, decimal value: Int64, _ indexing: Indexing = .full
  ) {
    let start = bytes.count
    DecimalDigits(value).write(to: &bytes)
    addField(name, from: start, indexing)
  }

  /// Adds a field whose value is put together from pieces: `:path` from a prefix and a token.
  package mutating func append(
    _ name: StaticString, joining first: StaticString, _ second: [UInt8],
    _ indexing: Indexing = .full
  ) {
    let start = bytes.count
    appendBytes(first)
    unsafe second.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    addField(name, from: start, indexing)
  }

  package mutating func removeAll(keepingCapacity: Bool = true) {
    bytes.removeAll(keepingCapacity: keepingCapacity)
    fields.removeAll(keepingCapacity: keepingCapacity)
  }

  /// A place to cut back to: what stays the same from request to request is filled in once.
  package struct Mark: Sendable {
    fileprivate let bytes: Int
    fileprivate let fields: Int
  }

  package var mark: Mark { Mark(bytes: bytes.count, fields: fields.count) }

  /// Removes what was added after `mark` was taken.
  package mutating func cut(back mark: Mark) {
    bytes.removeLast(bytes.count - mark.bytes)
    fields.removeLast(fields.count - mark.fields)
  }

  private mutating func appendBytes(_ text: StaticString) {
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  private mutating func addField(
    _ name: StaticString, nameCount: Int = 0, from start: Int, _ indexing: Indexing
  ) {
    fields.append(
      Field(
        name: name, nameCount: Int32(nameCount), valueStart: Int32(start),
        valueCount: Int32(bytes.count - start), indexing: indexing))
  }
}

private func text(_ bytes: Span<UInt8>) -> String {
  unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
}
