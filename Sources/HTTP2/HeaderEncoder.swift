/// HPACK (RFC 7541) as the client of one connection writes it.
///
/// nghttp2's own spends half of a request's cost: it searches its table for every field, and codes
/// path and bearer by Huffman each time. Fields here come in the same order again and again, so the
/// place of the one before says where the next was found the last time; what differs in each
/// request goes out as it is, and the code of a bearer is kept.
struct HeaderEncoder {
  /// What is known of one name.
  private struct Known {
    /// Of a name that is part of the program; 0 for others, which are compared.
    var address: UInt
    var name: [UInt8]
    /// Indices in the static table, of the name and of the last field with it; 0 = none.
    var staticName: Int
    var staticField = 0
    var staticValue: StaticString = ""
    /// Entries of the dynamic table, which may be gone; -1 = none.
    var nameEntry = -1
    var entry = -1
  }

  private enum Representation: UInt8 {
    case withoutIndexing = 0x00
    case neverIndexed = 0x10
  }

  /// Names beyond these take the places of others: a producer that makes up fields of its own may
  /// come so far.
  private static let mostNames = 32

  private(set) var table = HeaderTable()
  private var names: [Known] = []
  /// The place of the name after the one used last.
  private var next = 0
  private var lastingText: [UInt8] = []
  /// Its Huffman code; nil when that is no shorter.
  private var lastingCode: [UInt8]?

  /// The most bytes that a block can take.
  static func bound(_ block: HeaderBlock) -> Int {
    var bound = block.bytes.count
    // Each index or length takes at most five bytes.
    for field in block.fields { bound += field.name.utf8CodeUnitCount + 15 }
    return bound
  }

  /// Goes with the dynamic table size updates that `bytes` consist of (RFC 7541 6.3).
  mutating func follow(sizeUpdates bytes: Span<UInt8>) {
    var at = 0
    while at < bytes.count {
      var size = Int(bytes[at] & 0x1F)
      var shift = 0
      at += 1
      if size < 0x1F {
        table.resize(to: size)
        continue
      }
      while at < bytes.count {
        size += Int(bytes[at] & 0x7F) << shift
        shift += 7
        at += 1
        if bytes[at - 1] & 0x80 == 0 { break }
      }
      table.resize(to: size)
    }
  }

  mutating func encode(_ block: HeaderBlock, to output: inout OutputSpan<UInt8>) {
    for index in 0..<block.count {
      block.withField(index) { address, name, value, indexing in
        encode(at: find(address, name), name, value, indexing, to: &output)
      }
    }
  }

  private mutating func encode(
    at place: Int, _ name: Span<UInt8>, _ value: Span<UInt8>, _ indexing: HeaderBlock.Indexing,
    to output: inout OutputSpan<UInt8>
  ) {
    switch indexing {
    case .full:
      let index = fieldIndex(at: place, name, value)
      if index > 0 { return output.append(index, prefix: 7, 0x80) }
      // A large one would push all others out.
      if HeaderTable.size(name.count + value.count) <= table.limit / 2 {
        return insert(at: place, name, value, to: &output)
      }
      start(.withoutIndexing, at: place, name, to: &output)
    case .nameOnly:
      let size = HeaderTable.size(name.count + value.count)
      // Nothing else goes out of the table for it: it would be back with the next request.
      if nameIndex(at: place, name) == 0, size <= table.limit - table.size {
        return insert(at: place, name, value, to: &output)
      }
      start(.withoutIndexing, at: place, name, to: &output)
    case .secret: start(.neverIndexed, at: place, name, to: &output)
    case .lastingSecret:
      start(.neverIndexed, at: place, name, to: &output)
      if !equal(value, lastingText) { remember(value) }
      if let lastingCode { return output.append(code: lastingCode) }
    }
    output.append(text: value)
  }

  private mutating func insert(
    at place: Int, _ name: Span<UInt8>, _ value: Span<UInt8>, to output: inout OutputSpan<UInt8>
  ) {
    let index = nameIndex(at: place, name)
    output.append(index, prefix: 6, 0x40)
    if index == 0 { output.append(shorterOf: name) }
    output.append(shorterOf: value)
    names[place].entry = table.insert(name, value)
    names[place].nameEntry = names[place].entry
  }

  /// The beginning of a literal that does not change the table.
  private mutating func start(
    _ representation: Representation, at place: Int, _ name: Span<UInt8>,
    to output: inout OutputSpan<UInt8>
  ) {
    let index = nameIndex(at: place, name)
    output.append(index, prefix: 4, representation.rawValue)
    if index == 0 { output.append(text: name) }
  }

  private mutating func remember(_ text: Span<UInt8>) {
    lastingText.removeAll(keepingCapacity: true)
    unsafe text.withUnsafeBufferPointer { unsafe lastingText.append(contentsOf: $0) }
    lastingCode = HuffmanCode.encode(text)
  }

  // MARK: What the table has

  /// The index of a field; 0 = the table does not have it.
  private mutating func fieldIndex(
    at place: Int, _ name: Span<UInt8>, _ value: Span<UInt8>
  ) -> Int {
    let entry = names[place].entry
    if table.holds(entry), table.hasValue(entry, value) { return table.index(of: entry) }
    let known = names[place].staticField
    if known > 0, equal(value, names[place].staticValue) { return known }
    let index = StaticTable.index(of: value, from: names[place].staticName, name)
    if index > 0 {
      names[place].staticField = index
      names[place].staticValue = StaticTable.value(index)
      return index
    }
    let found = table.find(name, value)
    if found < 0 { return 0 }
    names[place].entry = found
    return table.index(of: found)
  }

  /// The index of a field with this name; 0 = the table has none.
  private mutating func nameIndex(at place: Int, _ name: Span<UInt8>) -> Int {
    if names[place].staticName > 0 { return names[place].staticName }
    if !table.holds(names[place].nameEntry) { names[place].nameEntry = table.find(name, nil) }
    return names[place].nameEntry < 0 ? 0 : table.index(of: names[place].nameEntry)
  }

  /// The place of a name in `names`.
  private mutating func find(_ address: UInt, _ name: Span<UInt8>) -> Int {
    for _ in 0..<names.count {
      let place = next < names.count ? next : 0
      next = place + 1
      if names[place].address == address && (address != 0 || equal(name, names[place].name)) {
        return place
      }
    }
    return add(address, name)
  }

  private mutating func add(_ address: UInt, _ name: Span<UInt8>) -> Int {
    var known = Known(address: address, name: [], staticName: StaticTable.index(of: name))
    if address == 0 {
      unsafe name.withUnsafeBufferPointer { unsafe known.name.append(contentsOf: $0) }
    }
    if names.count < Self.mostNames {
      names.append(known)
      next = names.count
      return names.count - 1
    }
    let place = next < names.count ? next : 0
    next = place + 1
    names[place] = known
    return place
  }
}
