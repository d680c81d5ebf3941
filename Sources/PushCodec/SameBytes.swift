// Comparing short texts.
extension Span<UInt8> {
  /// True for the same bytes; eight at a time.
  @inline(__always)
  func isSame(as other: borrowing Span<UInt8>) -> Bool {
    if count != other.count { return false }
    if count < 8 {
      for at in 0..<count where self[at] != other[at] { return false }
      return true
    }
    // Any bits are a UInt64, and eight bytes from each place are inside both: the last eight are
    // compared again where the count is no multiple.
    let (one, two) = unsafe (self.bytes, other.bytes)
    var at = 0
    while true {
      let word = unsafe one.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self)
      if unsafe word != two.unsafeLoadUnaligned(fromByteOffset: at, as: UInt64.self) {
        return false
      }
      if at == count &- 8 { return true }
      at = Swift.min(at &+ 8, count &- 8)
    }
  }

  @inline(__always)
  func isSame(as text: StaticString) -> Bool {
    text.withUTF8Buffer { unsafe isSame(as: $0.span) }
  }
}
