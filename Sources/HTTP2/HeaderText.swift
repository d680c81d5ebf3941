internal import Glibc

/// HPACK's integers and texts (RFC 7541 5).
extension OutputSpan<UInt8> {
  /// A number in the last `prefix` bits of a byte whose other bits are `pattern`, and as many bytes
  /// more as it needs.
  @inline(__always)
  mutating func append(_ value: Int, prefix: UInt8, _ pattern: UInt8) {
    let most = 1 << Int(prefix) - 1
    if value < most { return append(pattern | UInt8(truncatingIfNeeded: value)) }
    append(pattern | UInt8(truncatingIfNeeded: most))
    append(rest: value - most)
  }

  private mutating func append(rest: Int) {
    var rest = rest
    while rest >= 0x80 {
      append(UInt8(rest & 0x7F) | 0x80)
      rest >>= 7
    }
    append(UInt8(rest))
  }

  /// A text as it is, behind its length.
  mutating func append(text: Span<UInt8>) {
    append(text.count, prefix: 7, 0)
    append(bytes: text)
  }

  /// A text in Huffman's code, behind its length.
  mutating func append(code: [UInt8]) {
    append(code.count, prefix: 7, 0x80)
    append(bytes: code.span)
  }

  mutating func append(shorterOf text: Span<UInt8>) {
    guard let code = HuffmanCode.encode(text) else { return append(text: text) }
    append(code: code)
  }

  mutating func append(bytes: Span<UInt8>) {
    precondition(bytes.count <= freeCapacity)
    unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeMutableBufferPointer { buffer, filled in
        guard let from = bytes.baseAddress, let to = buffer.baseAddress else { return }
        unsafe (to + filled).update(from: from, count: bytes.count)
        filled += bytes.count
      }
    }
  }
}

/// Whether these bytes are those of a part of an array.
func equal(_ bytes: Span<UInt8>, _ array: [UInt8], _ range: Range<Int>) -> Bool {
  let count = bytes.count
  guard count == range.count, range.upperBound <= array.count else { return false }
  return unsafe bytes.withUnsafeBufferPointer { bytes in
    unsafe array.withUnsafeBufferPointer { array in
      guard let one = bytes.baseAddress, let other = array.baseAddress else { return true }
      return unsafe memcmp(one, other + range.lowerBound, count) == 0
    }
  }
}

func equal(_ bytes: Span<UInt8>, _ array: [UInt8]) -> Bool { equal(bytes, array, 0..<array.count) }

func equal(_ bytes: Span<UInt8>, _ text: StaticString) -> Bool {
  let count = bytes.count
  guard count == text.utf8CodeUnitCount else { return false }
  return unsafe bytes.withUnsafeBufferPointer { bytes in
    guard let bytes = bytes.baseAddress else { return true }
    return unsafe memcmp(bytes, text.utf8Start, count) == 0
  }
}
