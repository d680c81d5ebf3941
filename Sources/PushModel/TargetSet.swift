/// A set of target numbers of one event, small: the first 64 need no memory of their own.
package struct TargetSet: Sendable, Equatable {
  private var first: UInt64 = 0
  private var rest: [UInt64] = []

  package init() {}

  /// The first 64 targets, a bit each, the lowest bit for target 0.
  package init(first bits: UInt64) { first = bits }

  /// All of `0 ..< count`.
  package init(all count: Int) {
    for index in 0..<count { insert(index) }
  }

  package func contains(_ index: Int) -> Bool {
    if index < 64 { return first >> UInt64(index) & 1 == 1 }
    let word = index / 64 - 1
    return word < rest.count && rest[word] >> UInt64(index % 64) & 1 == 1
  }

  package mutating func insert(_ index: Int) {
    guard index >= 64 else {
      first |= 1 << UInt64(index)
      return
    }
    let word = index / 64 - 1
    while rest.count <= word { rest.append(0) }
    rest[word] |= 1 << UInt64(index % 64)
  }

  package mutating func remove(_ index: Int) {
    guard index >= 64 else {
      first &= ~(1 << UInt64(index))
      return
    }
    let word = index / 64 - 1
    if word < rest.count { rest[word] &= ~(1 << UInt64(index % 64)) }
  }

  package mutating func formUnion(_ other: TargetSet) {
    first |= other.first
    while rest.count < other.rest.count { rest.append(0) }
    for (word, bits) in other.rest.enumerated() { rest[word] |= bits }
  }

  package var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

  package var count: Int {
    rest.reduce(first.nonzeroBitCount) { $0 + $1.nonzeroBitCount }
  }

  /// Lower-case hex words separated by dots, lowest word first; trailing zero words are left out.
  package var text: String {
    var words = [first] + rest
    while words.count > 1, words.last == 0 { words.removeLast() }
    return words.map { String($0, radix: 16) }.joined(separator: ".")
  }

  /// The reverse of `text`; nil for anything else.
  package init?(text: Substring) {
    for (word, part) in text.split(separator: ".", omittingEmptySubsequences: false).enumerated() {
      guard let bits = UInt64(part, radix: 16) else { return nil }
      if word == 0 { first = bits } else { rest.append(bits) }
    }
  }
}
