/// HPACK's dynamic table as the sender keeps it (RFC 7541 2.3.2 and 4): what the peer has stored of
/// the fields of one connection, the oldest first to go.
///
/// A field is named by the number of its insertion, which stays; its index changes with each one.
struct HeaderTable {
  private struct Entry {
    /// Where its name begins in `texts`; the value follows it.
    var start = 0
    var nameCount = 0
    var count = 0
    var size: Int { HeaderTable.size(count) }
    var name: Range<Int> { start..<start + nameCount }
    var value: Range<Int> { start + nameCount..<start + count }
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
  /// Names and values, each entry's in one piece. As twice the size of a table has room, what begins
  /// at the front again never meets what is still in use.
  private var texts = [UInt8](repeating: 0, count: 2 * most)
  private var textEnd = 0

  static func size(_ textCount: Int) -> Int { textCount + 32 }

  /// Whether this entry is still there; never one with a negative number.
  func holds(_ number: Int) -> Bool { number >= evicted }

  /// The index of an entry that is there.
  func index(of number: Int) -> Int { StaticTable.count + inserted - number }

  func hasValue(_ number: Int, _ value: Span<UInt8>) -> Bool {
    equal(value, texts, entries[number % Self.places].value)
  }

  /// The newest entry with this name, and this value unless that is nil; -1 = none.
  func find(_ name: Span<UInt8>, _ value: Span<UInt8>?) -> Int {
    var number = inserted - 1
    while number >= evicted {
      let entry = entries[number % Self.places]
      if equal(name, texts, entry.name) {
        guard let value else { return number }
        if equal(value, texts, entry.value) { return number }
      }
      number -= 1
    }
    return -1
  }

  /// Adds a field that is not larger than the table; the number of its entry.
  mutating func insert(_ name: Span<UInt8>, _ value: Span<UInt8>) -> Int {
    let count = name.count + value.count
    let start = textEnd + count <= texts.count ? textEnd : 0
    let entry = Entry(start: start, nameCount: name.count, count: count)
    evict(downTo: limit - entry.size)
    size += entry.size
    entries[inserted % Self.places] = entry
    for index in name.indices { texts[start + index] = name[index] }
    for index in value.indices { texts[start + name.count + index] = value[index] }
    textEnd = start + count
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
      evicted += 1
    }
  }
}
