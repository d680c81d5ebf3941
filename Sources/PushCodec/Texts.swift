/// By how much a message is too long, at or below 0 when it fits.
struct Excess {
  var bytes: Int
  /// True when bytes count as JSON, with escapes; false when the texts alone count.
  var isInJSON = true
}

/// The display texts of one message, and how much of each is kept.
struct Texts {
  var title = Piece.none
  var subtitle = Piece.none
  var body = Piece.none
  private let originals: [3 of Piece]
  private var kept: [3 of Int]

  init() {
    originals = .init(repeating: .none)
    kept = .init(repeating: 0)
  }

  /// Body first, title last: the order in which they are shortened.
  init(_ content: borrowing EventContent) {
    title = content.facts.title
    subtitle = content.facts.subtitle
    body = content.facts.body
    originals = [body, subtitle, title]
    kept = [body.length, subtitle.length, title.length]
  }

  private static let ellipsis: [UInt8] = [0xE2, 0x80, 0xA6]

  /// Takes at least `excess` bytes off the first text that can still give some; false when none
  /// can. The cut text is put at the end of the arena.
  mutating func shorten(
    by excess: Excess, _ bytes: PieceBytes, _ notes: inout BuildNotes.Changes
  ) -> Bool {
    for field in 0..<3 {
      let original = originals[field]
      let wasCut = kept[field] < original.length
      // Cutting must pay for the ellipsis; the ellipsis alone is the end.
      guard kept[field] > (wasCut ? 0 : Self.ellipsis.count) else { continue }
      let old = kept[field]
      let escapes = original.form == .text && excess.isInJSON
      let budget = bytes.withBytes(of: original) {
        Self.cost($0, old, escapes) - excess.bytes - (wasCut ? 0 : Self.ellipsis.count)
      }
      kept[field] = Self.prefix(
        of: original, costing: max(0, budget), atMost: old, escapes, bytes)
      apply(field, bytes, &notes)
      return true
    }
    return false
  }

  /// Cuts what alone is longer than the limit, so that it is never written whole.
  mutating func clamp(
    to limit: Int, _ bytes: PieceBytes, _ notes: inout BuildNotes.Changes
  ) {
    for field in 0..<3 where originals[field].length > limit {
      kept[field] = Self.prefix(
        of: originals[field], costing: limit, atMost: limit, false, bytes)
      apply(field, bytes, &notes)
    }
  }

  private mutating func apply(
    _ field: Int, _ bytes: PieceBytes, _ notes: inout BuildNotes.Changes
  ) {
    var piece = originals[field]
    piece.count = Int32(kept[field])
    let start = bytes.arena.count
    bytes.copyToArena(piece)
    bytes.arena.append(Self.ellipsis)
    let cut = Piece(.arena, start..<bytes.arena.count, piece.form)
    switch field {
    case 0:
      body = cut
      notes.insert(.body)
    case 1:
      subtitle = cut
      notes.insert(.subtitle)
    default:
      title = cut
      notes.insert(.title)
    }
  }

  /// What the first `count` bytes take, with escapes or without.
  private static func cost(_ text: borrowing Span<UInt8>, _ count: Int, _ escapes: Bool) -> Int {
    if !escapes { return count }
    var cost = 0
    for i in 0..<count { cost += JSONEscape.encodedCount(text[i]) }
    return cost
  }

  /// The longest prefix of whole graphemes within a cost, less than `limit` bytes of the text.
  private static func prefix(
    of text: Piece, costing budget: Int, atMost limit: Int, _ escapes: Bool,
    _ bytes: PieceBytes
  ) -> Int {
    bytes.withBytes(of: text) { span in
      var end = 0
      var cost = 0
      while end < min(limit, span.count) {
        cost += escapes ? JSONEscape.encodedCount(span[end]) : 1
        if cost > budget { break }
        end += 1
      }
      return Graphemes.boundary(span, atOrBefore: end)
    }
  }
}
