/// A short text as three words, so that it is compared in a few steps.
struct PackedKey: Equatable {
  /// Longer texts are unknown ones.
  static let capacity = 24

  private var first: UInt64 = 0
  private var second: UInt64 = 0
  private var third: UInt64 = 0
  private var count: Int32

  /// Equals no text.
  static let unknown = PackedKey(count: -1)

  /// Up to 24 bytes of a text.
  @inline(__always)
  init(_ bytes: Span<UInt8>, at start: Int, count: Int) {
    guard start >= 0, start &+ Self.capacity <= bytes.count else {
      self = Self.nearEnd(bytes, start, count)
      return
    }
    self.count = Int32(truncatingIfNeeded: count)
    // 24 bytes from the start lie inside `bytes`; what is behind the text is masked away.
    let raw = unsafe bytes.bytes
    first = unsafe raw.unsafeLoadUnaligned(fromUncheckedByteOffset: start, as: UInt64.self)
    if count <= 8 {
      first &= Self.mask(count)
      return
    }
    second = unsafe raw.unsafeLoadUnaligned(
      fromUncheckedByteOffset: start &+ 8, as: UInt64.self)
    if count <= 16 {
      second &= Self.mask(count &- 8)
      return
    }
    third = unsafe raw.unsafeLoadUnaligned(
      fromUncheckedByteOffset: start &+ 16, as: UInt64.self)
    third &= Self.mask(count &- 16)
  }

  init(_ text: String) {
    let bytes = [UInt8](text.utf8)
    precondition(bytes.count <= Self.capacity)
    self.init(bytes.span, at: 0, count: bytes.count)
  }

  private init(count: Int32) { self.count = count }

  /// The same where fewer than 24 bytes are left.
  @inline(never)
  private static func nearEnd(_ bytes: Span<UInt8>, _ start: Int, _ count: Int) -> PackedKey {
    var key = PackedKey(count: Int32(count))
    for i in 0..<count {
      let bits = UInt64(bytes[start + i]) << UInt64(i & 7 * 8)
      switch i >> 3 {
      case 0: key.first |= bits
      case 1: key.second |= bits
      default: key.third |= bits
      }
    }
    return key
  }

  /// The bits of the first 1 to 8 bytes of a word. An empty text gets all of them, and equals
  /// nothing by its count.
  @inline(__always)
  private static func mask(_ count: Int) -> UInt64 {
    UInt64.max &>> UInt64(truncatingIfNeeded: (8 &- count) &* 8)
  }

  /// A place in a table of 128.
  @inline(__always)
  var slot: Int {
    let mixed = (first ^ second &* 31 ^ third) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: mixed >> 57)
  }

  @inline(__always)
  static func == (a: PackedKey, b: PackedKey) -> Bool {
    (a.first ^ b.first) | (a.second ^ b.second) | (a.third ^ b.third) == 0 && a.count == b.count
  }
}
