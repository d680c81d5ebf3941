/// One request of a peer and the answer to it.
///
/// A connection makes few of these and uses them again: header fields and body stand as bytes in
/// buffers that keep their memory, so that a request costs no allocation and no String.
package final class ServerStream {
  /// Name and value of one field, as ranges of `text`.
  package struct Field {
    package let name: Range<Int>
    package let value: Range<Int>
  }

  package internal(set) var id: Int32 = 0
  /// Counts the uses of this object: who answers later compares it, since the peer may have taken
  /// the request back meanwhile and another one may stand here.
  package internal(set) var use = 0
  /// The fields in the order they came, pseudo-header fields first.
  package internal(set) var fields: [Field] = []
  /// All names and values, one after another.
  package internal(set) var text: [UInt8] = []
  /// At most `ServerConnection.Options.maximumBodyBytes` of the body.
  package internal(set) var body: [UInt8] = []
  /// The bytes that came, more than `body` holds when it was cut.
  package internal(set) var bodyBytes = 0
  /// False before the request is whole and after it was answered, reset or taken back.
  package internal(set) var awaitsAnswer = false

  var isOpen = false
  var answer: [UInt8] = []
  var answerSent = 0

  /// The value of the first field with this name, which is in lower case.
  package func value(of name: StaticString) -> Range<Int>? {
    for field in fields where textEquals(field.name, name) { return field.value }
    return nil
  }

  /// Whether these bytes of `text` are exactly `other`.
  package func textEquals(_ range: Range<Int>, _ other: StaticString) -> Bool {
    guard range.count == other.utf8CodeUnitCount else { return false }
    return other.withUTF8Buffer { other in
      for at in 0..<other.count where unsafe other[at] != text[range.lowerBound + at] {
        return false
      }
      return true
    }
  }

  /// A copy of these bytes of `text` as a String; broken UTF-8 is repaired. Not for the hot path.
  package func string(_ range: Range<Int>) -> String {
    String(decoding: text[range], as: UTF8.self)
  }

  func begin(id: Int32) {
    self.id = id
    use += 1
    isOpen = true
    awaitsAnswer = false
    fields.removeAll(keepingCapacity: true)
    text.removeAll(keepingCapacity: true)
    // One long body must not be kept for the life of the connection.
    body.removeAll(keepingCapacity: body.capacity <= 64 * 1024)
    bodyBytes = 0
    answerSent = 0
  }

  func append(name: UnsafeBufferPointer<UInt8>, value: UnsafeBufferPointer<UInt8>) {
    let start = text.count
    unsafe text.append(contentsOf: name)
    let middle = text.count
    unsafe text.append(contentsOf: value)
    fields.append(Field(name: start..<middle, value: middle..<text.count))
  }

  func append(body bytes: UnsafeBufferPointer<UInt8>, limit: Int) {
    bodyBytes += bytes.count
    let room = limit - body.count
    guard room > 0 else { return }
    unsafe body.append(contentsOf: bytes.prefix(room))
  }
}
