/// The known keys of one kind of object, found without making a String.
///
/// A key's name is the name of its case.
struct KeyTable<Key: CaseIterable & RawRepresentable> where Key.RawValue == UInt8 {
  private struct Entry {
    var start = 0
    var count = 0
    var key: UInt8 = 0xFF
  }

  private var names: [UInt8] = []
  private var entries = [Entry](repeating: Entry(), count: 128)

  init() {
    for key in Key.allCases {
      let name = [UInt8](String(describing: key).utf8)
      var at = Self.slot(name.span, 0..<name.count)
      while entries[at].key != 0xFF { at = (at + 1) & 127 }
      entries[at] = Entry(start: names.count, count: name.count, key: key.rawValue)
      names += name
    }
  }

  /// The key's raw value; nil for an unknown one.
  @inline(__always)
  func find(_ bytes: Span<UInt8>, _ range: Range<Int>) -> UInt8? {
    guard !range.isEmpty else { return nil }
    var at = Self.slot(bytes, range)
    while entries[at].key != 0xFF {
      if matches(entries[at], bytes, range) { return entries[at].key }
      at = (at + 1) & 127
    }
    return nil
  }

  @inline(__always)
  private func matches(_ entry: Entry, _ bytes: Span<UInt8>, _ range: Range<Int>) -> Bool {
    guard entry.count == range.count else { return false }
    for i in 0..<entry.count where names[entry.start + i] != bytes[range.lowerBound + i] {
      return false
    }
    return true
  }

  @inline(__always)
  private static func slot(_ bytes: Span<UInt8>, _ range: Range<Int>) -> Int {
    let first = Int(bytes[range.lowerBound])
    let middle = Int(bytes[range.lowerBound + range.count / 2])
    let last = Int(bytes[range.upperBound - 1])
    return (first &* 7 &+ middle &* 3 &+ last &* 31 &+ range.count) & 127
  }
}

/// Where the values of an object's known keys stand: a token each. Not copyable, since it is large
/// and every reader needs it once.
struct Fields<Key: CaseIterable & RawRepresentable>: ~Copyable where Key.RawValue == UInt8 {
  private var tokens: InlineArray<48, Int32> = InlineArray(repeating: -1)
  private var seen: UInt64 = 0
  /// The key token of a key given twice.
  var repeated: Int?
  /// Keys we do not know.
  var unknown = 0

  /// The value's token; nil when absent or null.
  subscript(_ key: Key) -> Int? {
    let token = tokens[Int(key.rawValue)]
    return token < 0 ? nil : Int(token)
  }

  mutating func set(_ key: UInt8, keyToken: Int, value: Int, isNull: Bool) {
    let bit: UInt64 = 1 << UInt64(key)
    if seen & bit != 0 { repeated = keyToken }
    seen |= bit
    tokens[Int(key)] = isNull ? -1 : Int32(value)
  }
}
