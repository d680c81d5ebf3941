/// The bytes that pieces lie in. A class for the reasons of `EventContent`.
@safe final class PieceBytes {
  /// Empty within `reading`.
  @safe @exclusivity(unchecked) private(set) var item: [UInt8] = []
  @safe @exclusivity(unchecked) var arena = ByteBuffer()
  private let rules: FixedBytes
  /// Those of `rules`, at hand without counting one more owner.
  private let fixed: UnsafeBufferPointer<UInt8>
  /// The item's bytes while `reading` runs; empty at other times.
  @safe @exclusivity(unchecked) private var open: UnsafeBufferPointer<UInt8>

  init(rules: FixedBytes) {
    self.rules = rules
    unsafe fixed = rules.memory
    unsafe open = Self.closed
  }

  private static var closed: UnsafeBufferPointer<UInt8> { unsafe .init(start: nil, count: 0) }

  func take(_ bytes: [UInt8]) { item = bytes }

  /// Forgets all but memory of an ordinary size.
  func reset() {
    item = []
    arena.shrink(above: 65_536)
    arena.truncate(to: 0)
  }

  /// Runs the decoding or the building of a message, within which no piece counts an owner of the
  /// item: that was an eighth of the time of both. `item` is empty meanwhile, since a copy of it
  /// would count one, too.
  @inline(__always)
  func reading<R, Fault>(_ body: () throws(Fault) -> R) throws(Fault) -> R {
    var owned: [UInt8] = []
    swap(&owned, &item)
    defer { swap(&owned, &item) }
    return unsafe try owned.withUnsafeBufferPointer { (bytes) throws(Fault) -> R in
      // `owned` keeps the bytes where they are until the pointer is forgotten.
      unsafe open = bytes
      defer { unsafe open = Self.closed }
      return try body()
    }
  }

  /// - Parameter body: must not write to the arena.
  @inline(__always)
  func withBytes<R>(of piece: Piece, _ body: (borrowing Span<UInt8>) -> R) -> R {
    guard let bytes = unsafe memory(of: piece) else { return elsewhere(piece, body) }
    return unsafe body(bytes.span)
  }

  /// To be read until the arena is written to; nil for no bytes at all, and for those of the item
  /// outside `reading`.
  @inline(__always)
  private func memory(of piece: Piece) -> UnsafeBufferPointer<UInt8>? {
    let all =
      switch piece.place {
      case .item, .none: open
      case .arena: unsafe arena.memory
      case .rules: unsafe fixed
      }
    let (start, count) = (Int(piece.start), Int(piece.count))
    guard let base = all.baseAddress, start >= 0, count >= 0, start &+ count <= all.count else {
      return nil
    }
    // The piece was just seen to lie within all of them.
    return unsafe UnsafeBufferPointer(start: base + start, count: count)
  }

  /// The way outside `reading`, and of pieces without bytes.
  @inline(never)
  private func elsewhere<R>(_ piece: Piece, _ body: (borrowing Span<UInt8>) -> R) -> R {
    // An owner of its own, so that the bytes stay whatever the body does.
    let source = piece.place == .item ? item : []
    return body(source.span.extracting(piece.range))
  }

  /// All of the item.
  @inline(__always)
  func withItem<R>(_ body: (borrowing Span<UInt8>) -> R) -> R {
    if unsafe open.baseAddress == nil { return outside(body) }
    return unsafe body(open.span)
  }

  @inline(never)
  private func outside<R>(_ body: (borrowing Span<UInt8>) -> R) -> R {
    let source = item
    return body(source.span)
  }

  /// The item's bytes, within `reading` too.
  var itemCopy: [UInt8] {
    var copy: [UInt8] = []
    withItem { copy.append($0) }
    return copy
  }

  func string(_ piece: Piece) -> String {
    withBytes(of: piece) { bytes in
      unsafe bytes.withUnsafeBufferPointer { unsafe String(decoding: $0, as: UTF8.self) }
    }
  }

  func array(_ piece: Piece) -> [UInt8] {
    var out: [UInt8] = []
    withBytes(of: piece) { out.append($0) }
    return out
  }

  /// Appends the bytes as they are.
  @inline(__always)
  func append<Sink: ByteSink & ~Copyable>(_ piece: Piece, to out: inout Sink) {
    withBytes(of: piece) { out.append($0) }
  }

  /// Copies a piece to the end of the arena.
  func copyToArena(_ piece: Piece) {
    if piece.place == .arena {
      arena.repeatBytes(piece.range)
    } else if let bytes = unsafe memory(of: piece) {
      // It lies outside the arena.
      unsafe arena.append(bytes.span)
    } else {
      elsewhere(piece) { arena.append($0) }
    }
  }

  @inline(__always)
  func areEqual(_ a: Piece, _ b: Piece) -> Bool {
    a.count == b.count && haveSameBytes(a, b)
  }

  private func haveSameBytes(_ a: Piece, _ b: Piece) -> Bool {
    withBytes(of: a) { first in withBytes(of: b) { second in first.isSame(as: second) } }
  }

  func isEqual(_ piece: Piece, _ text: StaticString) -> Bool {
    piece.length == text.utf8CodeUnitCount && withBytes(of: piece) { $0.isSame(as: text) }
  }

  func hasPrefix(_ piece: Piece, _ text: StaticString) -> Bool {
    let count = text.utf8CodeUnitCount
    guard piece.length >= count else { return false }
    var head = piece
    head.count = Int32(count)
    return isEqual(head, text)
  }
}

/// Bytes that never change or move.
@safe final class FixedBytes {
  /// To be read while this lives.
  let memory: UnsafeBufferPointer<UInt8>

  init(_ bytes: [UInt8]) {
    let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
    _ = unsafe copy.initialize(from: bytes)
    unsafe memory = UnsafeBufferPointer(copy)
  }

  deinit { unsafe memory.deallocate() }
}
