/// What bytes are appended to: a buffer of ours on the way of every message, an array elsewhere.
protocol ByteSink: ~Copyable {
  mutating func append(_ byte: UInt8)
  mutating func append(_ bytes: borrowing Span<UInt8>)
}

extension [UInt8]: ByteSink {
  /// A slice of an array would be counted as one more owner of it.
  @inline(__always)
  mutating func append(_ bytes: borrowing Span<UInt8>) {
    unsafe bytes.withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  /// Becomes these bytes. As many as before are written over the old ones, which is the usual case
  /// for a field that is reused and saves emptying the array first.
  @inline(__always)
  mutating func replace(by bytes: borrowing Span<UInt8>) {
    if count == bytes.count {
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe withUnsafeMutableBufferPointer { own in
          guard let to = own.baseAddress, let from = bytes.baseAddress else { return }
          // Both have `bytes.count` bytes.
          unsafe to.update(from: from, count: bytes.count)
        }
      }
    } else {
      removeAll(keepingCapacity: true)
      append(bytes)
    }
  }
}
