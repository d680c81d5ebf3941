/// A short key as three words, so that it is compared in a few steps.
private struct PackedKey: Equatable {
  /// Longer keys are unknown ones.
  static let capacity = 24

  var first: UInt64 = 0
  var second: UInt64 = 0
  var third: UInt64 = 0
  var count = 0

  /// Up to 24 bytes of a text.
  @inline(__always)
  init(_ bytes: Span<UInt8>, _ range: Range<Int>) {
    count = range.count
    guard range.lowerBound &+ Self.capacity <= bytes.count else {
      for i in 0..<range.count {
        put(UInt64(bytes[range.lowerBound + i]) << UInt64(i & 7 * 8), at: i >> 3)
      }
      return
    }
    // 24 bytes from the start lie inside `bytes`; what is behind the key is masked away.
    let raw = unsafe bytes.bytes
    let at = range.lowerBound
    first = unsafe raw.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) & mask(0)
    if count <= 8 { return }
    second = unsafe raw.unsafeLoadUnaligned(fromByteOffset: at &+ 8, as: UInt64.self) & mask(8)
    if count <= 16 { return }
    third = unsafe raw.unsafeLoadUnaligned(fromByteOffset: at &+ 16, as: UInt64.self) & mask(16)
  }

  private mutating func put(_ bits: UInt64, at word: Int) {
    switch word {
    case 0: first |= bits
    case 1: second |= bits
    default: third |= bits
    }
  }

  /// The bits of the word that begins at `offset`.
  @inline(__always)
  private func mask(_ offset: Int) -> UInt64 {
    let left = count &- offset
    return left >= 8 ? .max : (1 << UInt64(left &* 8)) &- 1
  }

  /// A place in a table of 128.
  @inline(__always)
  var slot: Int {
    let mixed = (first ^ second &* 31 ^ third) &* 0x9E37_79B9_7F4A_7C15
    return Int(truncatingIfNeeded: (mixed &+ UInt64(truncatingIfNeeded: count)) >> 57)
  }
}

/// The known keys of one kind of object, found without making a String.
///
/// A key's name is the name of its case. The table lends the memory for the fields of one object at
/// a time: those of an object are read before the next of the same kind.
@safe final class KeyTable<Key: CaseIterable & RawRepresentable> where Key.RawValue == UInt8 {
  private struct Entry {
    var name: PackedKey
    var key: UInt8
  }

  private let entries: [Entry]
  fileprivate let slots: UnsafeMutablePointer<Int32>

  deinit { unsafe slots.deallocate() }

  init() {
    let empty: [UInt8] = []
    let none = Entry(name: PackedKey(empty.span, 0..<0), key: 0xFF)
    var entries = Array(repeating: none, count: 128)
    unsafe slots = UnsafeMutablePointer.allocate(capacity: Key.allCases.count)
    for key in Key.allCases {
      let text = [UInt8](String(describing: key).utf8)
      let name = PackedKey(text.span, 0..<text.count)
      var at = name.slot
      while entries[at].key != 0xFF { at = (at + 1) & 127 }
      entries[at] = Entry(name: name, key: key.rawValue)
    }
    self.entries = entries
  }

  /// The key's raw value; nil for an unknown one.
  @inline(__always)
  func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8? {
    guard range.count <= PackedKey.capacity else { return nil }
    let name = PackedKey(bytes, range)
    var at = name.slot
    while entries[at].key != 0xFF {
      if entries[at].name == name { return entries[at].key }
      at = (at + 1) & 127
    }
    return nil
  }
}

/// Where the values of an object's known keys stand: a token each.
@safe struct Fields<Key: CaseIterable & RawRepresentable>: ~Copyable where Key.RawValue == UInt8 {
  /// The table's memory, one for each key; a key's raw value is below their number.
  private let slots: UnsafeMutablePointer<Int32>
  private var seen: UInt64 = 0
  /// The key token of a key given twice.
  var repeated: Int?
  /// Keys we do not know.
  var unknown = 0

  init(_ table: KeyTable<Key>) {
    unsafe slots = table.slots
    unsafe slots.initialize(repeating: -1, count: Key.allCases.count)
  }

  /// The value's token; nil when absent or null.
  @inline(__always)
  subscript(_ key: Key) -> Int? {
    let token = unsafe slots[Int(key.rawValue)]
    return token < 0 ? nil : Int(token)
  }

  @inline(__always)
  mutating func set(_ key: UInt8, keyToken: Int, value: Int, isNull: Bool) {
    let bit: UInt64 = 1 << UInt64(key)
    if seen & bit != 0 { repeated = keyToken }
    seen |= bit
    unsafe slots[Int(key)] = isNull ? -1 : Int32(value)
  }
}
