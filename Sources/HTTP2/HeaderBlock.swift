/// The header fields of one request or response, in order, pseudo headers first.
///
/// All names and values stand in one byte buffer, so that a block that is emptied and filled again
/// allocates nothing. Names must be lower case, as HTTP/2 wants them.
package struct HeaderBlock: Sendable {
  struct Field {
    var nameStart: Int32
    var nameCount: Int32
    var valueStart: Int32
    var valueCount: Int32
    var secret: Bool
  }

  private(set) var bytes: [UInt8] = []
  private(set) var fields: [Field] = []

  package init() {}

  package var count: Int { fields.count }

  /// All fields as texts, for a listing that a person reads.
  package var pairs: [(name: String, value: String)] {
    fields.map { field in
      let (name, value) = (Int(field.nameStart), Int(field.valueStart))
      return (
        String(decoding: bytes[name..<name + Int(field.nameCount)], as: UTF8.self),
        String(decoding: bytes[value..<value + Int(field.valueCount)], as: UTF8.self)
      )
    }
  }

  /// Adds a field. A `secret` one (device token in `:path`, bearer) is a literal that is never
  /// indexed, neither by us nor by what stands between: HPACK's answer to guessing attacks. A value
  /// that is new with each request (`apns-id`, `apns-expiration`) is better sent so too: indexed,
  /// it pushes what stays the same out of the table, and every look-up walks over it.
  package mutating func append(_ name: StaticString, _ value: Span<UInt8>, secret: Bool = false) {
    let start = addName(name)
    unsafe value.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    addField(from: start, nameCount: name.utf8CodeUnitCount, secret)
  }

  package mutating func append(_ name: StaticString, _ value: [UInt8], secret: Bool = false) {
    append(name, value.span, secret: secret)
  }

  package mutating func append(_ name: StaticString, _ value: StaticString) {
    let start = addName(name)
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: value.utf8Start, count: value.utf8CodeUnitCount))
    addField(from: start, nameCount: name.utf8CodeUnitCount, false)
  }

  /// Adds a field whose name is known only at run time; it must be in lower case.
  package mutating func append(_ name: [UInt8], _ value: [UInt8], secret: Bool = false) {
    let start = bytes.count
    bytes.append(contentsOf: name)
    bytes.append(contentsOf: value)
    addField(from: start, nameCount: name.count, secret)
  }

  /// Adds a field whose value is a whole number in decimal.
  package mutating func append(
    _ name: StaticString, decimal value: Int64, secret: Bool = false
  ) {
    let start = addName(name)
    appendDecimal(value)
    addField(from: start, nameCount: name.utf8CodeUnitCount, secret)
  }

  /// Adds a field whose value is put together from pieces: `:path` from a prefix and a token.
  package mutating func append(
    _ name: StaticString, joining first: StaticString, _ second: [UInt8], secret: Bool = false
  ) {
    let start = addName(name)
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: first.utf8Start, count: first.utf8CodeUnitCount))
    bytes.append(contentsOf: second)
    addField(from: start, nameCount: name.utf8CodeUnitCount, secret)
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

  private mutating func addName(_ name: StaticString) -> Int {
    let start = bytes.count
    unsafe bytes.append(
      contentsOf: UnsafeBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount))
    return start
  }

  private mutating func addField(from start: Int, nameCount: Int, _ secret: Bool) {
    fields.append(
      Field(
        nameStart: Int32(start), nameCount: Int32(nameCount),
        valueStart: Int32(start + nameCount),
        valueCount: Int32(bytes.count - start - nameCount), secret: secret))
  }

  private mutating func appendDecimal(_ value: Int64) {
    if value < 0 { bytes.append(UInt8(ascii: "-")) }
    let magnitude = value.magnitude
    var place: UInt64 = 1
    while magnitude / place >= 10 { place *= 10 }
    while place > 0 {
      bytes.append(UInt8(ascii: "0") + UInt8(magnitude / place % 10))
      place /= 10
    }
  }
}
