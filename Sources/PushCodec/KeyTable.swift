/// The known keys of one kind of object, found without making a String.
///
/// A key's name is the name of its case. The table lends the memory for the fields of one object at
/// a time: those of an object are read before the next of the same kind. Its memory belongs to
/// `KeyTables`, so that no look-up counts one more owner.
@safe struct KeyTable<Key: CaseIterable & RawRepresentable> where Key.RawValue == UInt8 {
  private struct Entry {
    var name = PackedKey.unknown
    var key: UInt8 = 0xFF
    var isFree: Bool { key == 0xFF }
  }

  /// 128 of them, of which the keys take less than half.
  private let entries: UnsafeMutablePointer<Entry>
  fileprivate let slots: UnsafeMutablePointer<Int32>

  init() {
    precondition(Key.allCases.count <= 64)
    unsafe entries = UnsafeMutablePointer.allocate(capacity: 128)
    unsafe slots = UnsafeMutablePointer.allocate(capacity: Key.allCases.count)
    unsafe entries.initialize(repeating: Entry(), count: 128)
    for key in Key.allCases {
      let name = PackedKey(String(describing: key))
      var at = name.slot
      // A slot is below 128.
      while unsafe !entries[at].isFree { at = (at + 1) & 127 }
      unsafe entries[at] = Entry(name: name, key: key.rawValue)
    }
  }

  func deallocate() {
    unsafe slots.deallocate()
    unsafe entries.deallocate()
  }

  /// The key's raw value; nil for an unknown one.
  @inline(__always)
  func find(_ bytes: Span<UInt8>, at start: Int, count: Int) -> UInt8? {
    guard count <= PackedKey.capacity else { return nil }
    let name = PackedKey(bytes, at: start, count: count)
    var at = name.slot
    // A slot is below 128, and so many entries there are.
    while unsafe entries[at].name != name {
      if unsafe entries[at].isFree { return nil }
      at = (at &+ 1) & 127
    }
    return unsafe entries[at].key
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
    // A key is below 64.
    let bit: UInt64 = 1 &<< UInt64(key)
    if seen & bit != 0 { repeated = keyToken }
    seen |= bit
    unsafe slots[Int(key)] = isNull ? -1 : Int32(truncatingIfNeeded: value)
  }
}
