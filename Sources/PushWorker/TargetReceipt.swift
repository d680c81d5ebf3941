/// How one target ended, as an entry of the stream of receipts (EVENTS.md 4): fields in order, those
/// without a value left out.
package struct TargetReceipt: Sendable, Equatable {
  package private(set) var fields: [(name: String, value: String)] = []

  package init() {}

  /// Nothing for an empty value.
  package mutating func add(_ name: String, _ value: String) {
    if !value.isEmpty { fields.append((name, value)) }
  }

  package mutating func add(_ name: String, _ value: Int64) { add(name, String(value)) }

  package static func == (a: TargetReceipt, b: TargetReceipt) -> Bool {
    a.fields.elementsEqual(b.fields) { $0 == $1 }
  }
}
