/// A text as a place in bytes somebody else holds: copied only where it is written out.
struct Piece: Sendable {
  /// Whose bytes they are.
  enum Place: UInt8, Sendable {
    case none
    /// The producer's item.
    case item
    /// What was decoded or put together for this event.
    case arena
    /// The configuration.
    case rules
  }

  /// What the bytes need before they stand in JSON.
  enum Form: UInt8, Sendable {
    /// A string without a character that JSON escapes.
    case plain
    /// A string in which some bytes must be escaped.
    case text
    /// The digits of a number.
    case number
  }

  var start: Int32 = 0
  var count: Int32 = 0
  var place = Place.none
  var form = Form.plain

  static let none = Piece()

  init() {}

  init(_ place: Place, _ range: Range<Int>, _ form: Form = .plain) {
    start = Int32(range.lowerBound)
    count = Int32(range.count)
    self.place = place
    self.form = form
  }

  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }
  var length: Int { Int(count) }
  var isPresent: Bool { place != .none }
  /// Absent, or present without a byte.
  var isEmpty: Bool { count == 0 }
  /// This one when it has content, else the other.
  func orIfEmpty(_ other: Piece) -> Piece { isEmpty ? other : self }
}

/// The bytes that pieces lie in. A class for the reasons of `EventContent`.
final class PieceBytes {
  @safe @exclusivity(unchecked) var item: [UInt8] = []
  @safe @exclusivity(unchecked) var arena: [UInt8] = []
  let rules: [UInt8]

  init(rules: [UInt8]) { self.rules = rules }

  @inline(__always)
  func withBytes<R>(of piece: Piece, _ body: (borrowing Span<UInt8>) -> R) -> R {
    // An owner of its own, so that the bytes stay whatever the body does.
    let source =
      switch piece.place {
      case .item, .none: item
      case .arena: arena
      case .rules: rules
      }
    return body(source.span.extracting(piece.range))
  }

  func string(_ piece: Piece) -> String {
    withBytes(of: piece) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  func array(_ piece: Piece) -> [UInt8] {
    var out: [UInt8] = []
    append(piece, to: &out)
    return out
  }

  /// Appends the bytes as they are.
  @inline(__always)
  func append(_ piece: Piece, to out: inout [UInt8]) {
    withBytes(of: piece) { Self.append($0, to: &out) }
  }

  /// A slice of an array would be counted as one more owner of it.
  @inline(__always)
  static func append(_ bytes: borrowing Span<UInt8>, to out: inout [UInt8]) {
    unsafe bytes.withUnsafeBufferPointer { unsafe out.append(contentsOf: $0) }
  }

  /// Copies a piece to the end of the arena.
  func copyToArena(_ piece: Piece) {
    // An owner of its own, since the arena grows while the piece is read.
    let source =
      switch piece.place {
      case .item, .none: item
      case .arena: Array(arena[piece.range])
      case .rules: rules
      }
    let start = piece.place == .arena ? 0 : Int(piece.start)
    Self.append(source.span.extracting(start..<start + piece.length), to: &arena)
  }

  func areEqual(_ a: Piece, _ b: Piece) -> Bool {
    guard a.count == b.count else { return false }
    return withBytes(of: a) { first in
      withBytes(of: b) { second in
        for i in 0..<first.count where first[i] != second[i] { return false }
        return true
      }
    }
  }

  func isEqual(_ piece: Piece, _ text: StaticString) -> Bool {
    guard piece.length == text.utf8CodeUnitCount else { return false }
    return withBytes(of: piece) { bytes in
      text.withUTF8Buffer { text in
        for i in 0..<bytes.count where unsafe bytes[i] != text[i] { return false }
        return true
      }
    }
  }

  func hasPrefix(_ piece: Piece, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard piece.length >= count else { return false }
    var head = piece
    head.count = Int32(count)
    return isEqual(head, text)
  }
}
