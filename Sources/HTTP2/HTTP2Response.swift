/// What a server answered on one stream.
package struct HTTP2Response: Sendable {
  /// Longest body that is kept; the rest is dropped. No answer of APNs or FCM comes near it.
  package static let bodyLimit = 16_384
  /// Most bytes of kept header fields; a server that sends more loses the later ones.
  static let fieldLimit = 4_096

  package var status: Int
  package var body: [UInt8]
  /// Name and value of each kept field, one after the other, each behind its length in two bytes.
  private var fields: [UInt8] = []

  package init(status: Int, body: [UInt8] = []) {
    self.status = status
    self.body = body
  }

  /// The value of a field. Only names listed in `PoolSettings.keptHeaders` are ever stored.
  package func header(_ name: String) -> [UInt8]? {
    var at = 0
    while at < fields.count {
      let found = piece(at: &at)
      let value = piece(at: &at)
      if fields[found].elementsEqual(name.utf8) { return Array(fields[value]) }
    }
    return nil
  }

  /// Stores a field; one that would pass the limit is dropped.
  mutating func keep(_ name: [UInt8], _ value: Span<UInt8>) {
    guard fields.count + name.count + value.count + 4 <= Self.fieldLimit else { return }
    appendCount(name.count)
    fields.append(contentsOf: name)
    appendCount(value.count)
    unsafe value.withUnsafeBufferPointer { unsafe fields.append(contentsOf: $0) }
  }

  /// Appends what fits under the limit.
  mutating func appendBody(_ bytes: Span<UInt8>) {
    let room = Self.bodyLimit - body.count
    unsafe bytes.withUnsafeBufferPointer { unsafe body.append(contentsOf: $0.prefix(room)) }
  }

  private mutating func appendCount(_ count: Int) {
    fields.append(UInt8(truncatingIfNeeded: count >> 8))
    fields.append(UInt8(truncatingIfNeeded: count))
  }

  private func piece(at: inout Int) -> Range<Int> {
    let start = at + 2
    at = start + Int(fields[at]) << 8 + Int(fields[at + 1])
    return start..<at
  }
}
