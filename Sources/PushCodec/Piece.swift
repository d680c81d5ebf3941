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

  /// What stands at a token of the item.
  @inline(__always)
  init(_ token: JSONToken, _ form: Form = .plain) {
    start = token.start
    count = token.end &- token.start
    place = .item
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
