import Glibc

/// Comparisons of bytes at the speed of memcmp: each push compares some hundreds.
enum Bytes {
  static func areEqual(_ slice: ArraySlice<UInt8>, _ other: [UInt8]) -> Bool {
    guard slice.count == other.count else { return false }
    return unsafe slice.withUnsafeBufferPointer { slice in
      unsafe other.withUnsafeBufferPointer { other in
        guard let a = slice.baseAddress, let b = other.baseAddress else {
          return true
        }
        return unsafe memcmp(a, b, other.count) == 0
      }
    }
  }

  static func hasPrefix(_ slice: ArraySlice<UInt8>, _ prefix: [UInt8]) -> Bool {
    slice.count >= prefix.count && areEqual(slice.prefix(prefix.count), prefix)
  }
}
