import PushCodec

/// Builds one JSON object by appending to a buffer.
struct JSONLine {
  private(set) var bytes: [UInt8] = []
  private var needsComma = false

  /// Opens an object, the outermost or a member's value.
  mutating func open(_ name: String? = nil, array: Bool = false) {
    begin(name)
    bytes.append(array ? UInt8(ascii: "[") : UInt8(ascii: "{"))
    needsComma = false
  }

  mutating func close(array: Bool = false) {
    bytes.append(array ? UInt8(ascii: "]") : UInt8(ascii: "}"))
    needsComma = true
  }

  mutating func add(_ name: String?, _ value: Int64) {
    begin(name)
    bytes.append(contentsOf: String(value).utf8)
  }

  mutating func add(_ name: String?, _ value: Int) { add(name, Int64(value)) }

  mutating func add(_ name: String?, _ value: Bool) {
    begin(name)
    bytes.append(contentsOf: (value ? "true" : "false").utf8)
  }

  mutating func add(_ name: String?, _ value: some Sequence<UInt8>) {
    begin(name)
    quote(value)
  }

  mutating func add(_ name: String?, _ value: String) { add(name, value.utf8) }

  /// A member whose name is bytes of a peer.
  mutating func add(name: ArraySlice<UInt8>, _ value: ArraySlice<UInt8>) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    quote(name)
    bytes.append(UInt8(ascii: ":"))
    quote(value)
    needsComma = true
  }

  /// A value that is JSON already.
  mutating func add(_ name: String?, json: [UInt8]) {
    begin(name)
    bytes.append(contentsOf: json)
  }

  private mutating func begin(_ name: String?) {
    if needsComma { bytes.append(UInt8(ascii: ",")) }
    needsComma = true
    guard let name else { return }
    quote(name.utf8)
    bytes.append(UInt8(ascii: ":"))
  }

  private mutating func quote(_ text: some Sequence<UInt8>) {
    bytes.append(UInt8(ascii: "\""))
    for byte in text { JSONEscape.encode(byte, into: &bytes) }
    bytes.append(UInt8(ascii: "\""))
  }
}
