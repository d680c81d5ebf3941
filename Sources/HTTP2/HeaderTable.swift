/// HPACK's dynamic table as the sender keeps it (RFC 7541 2.3.2 and 4): what the peer has stored of
/// the fields of one connection, the oldest first to go.
///
/// A field is named by the number of its insertion, which stays; its index changes with each one.
struct HeaderTable {
  private struct Entry {
    /// Name and value.
    var text: [UInt8] = []
    var nameCount = 0
    var size: Int { HeaderTable.size(text.count) }

    func hasName(_ name: Span<UInt8>) -> Bool { equal(name, text, 0..<nameCount) }

    func hasValue(_ value: Span<UInt8>) -> Bool { equal(value, text, nameCount..<text.count) }
  }

  /// Our own limit below whatever the peer allows: the size both begin with.
  static let most = 4_096
  /// An entry counts 32 bytes beside its text.
  private static let places = most / 32

  private(set) var limit = most
  private(set) var size = 0
  /// How many were ever inserted, and how many of these are gone.
  private var inserted = 0
  private var evicted = 0
  /// The entry with number n stands at n modulo their count.
  private var entries = [Entry](repeating: Entry(), count: places)

  static func size(_ textCount: Int) -> Int { textCount + 32 }

  /// Whether this entry is still there; never one with a negative number.
  func holds(_ number: Int) -> Bool { number >= evicted }

  /// The index of an entry that is there.
  func index(of number: Int) -> Int { StaticTable.count + inserted - number }

  func hasValue(_ number: Int, _ value: Span<UInt8>) -> Bool {
    entries[number % Self.places].hasValue(value)
  }

  /// The newest entry with this name, and this value unless that is nil; -1 = none.
  func find(_ name: Span<UInt8>, _ value: Span<UInt8>?) -> Int {
    var number = inserted - 1
    while number >= evicted {
      let entry = entries[number % Self.places]
      if entry.hasName(name) {
        guard let value else { return number }
        if entry.hasValue(value) { return number }
      }
      number -= 1
    }
    return -1
  }

  /// Adds a field that is not larger than the table; the number of its entry.
  mutating func insert(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Int {
    var entry = Entry()
    entry.text.reserveCapacity(name.count + value.count)
    unsafe name.withUnsafeBufferPointer { unsafe entry.text.append(contentsOf: $0) }
    unsafe value.withUnsafeBufferPointer { unsafe entry.text.append(contentsOf: $0) }
    entry.nameCount = name.count
    evict(downTo: limit - entry.size)
    size += entry.size
    entries[inserted % Self.places] = entry
    inserted += 1
    return inserted - 1
  }

  /// A dynamic table size update goes to the peer.
  mutating func resize(to limit: Int) {
    self.limit = min(limit, Self.most)
    evict(downTo: self.limit)
  }

  private mutating func evict(downTo limit: Int) {
    while size > limit {
      size -= entries[evicted % Self.places].size
      entries[evicted % Self.places] = Entry()
      evicted += 1
    }
  }
}
