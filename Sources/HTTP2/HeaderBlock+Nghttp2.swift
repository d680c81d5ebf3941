internal import CNghttp2

extension HeaderBlock {
  /// Hands the fields to nghttp2, which copies them during the call.
  func withPairs<R>(_ body: (UnsafePointer<nghttp2_nv>?, Int) -> R) -> R {
    if fields.isEmpty { return body(nil, 0) }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      unsafe withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count) { pairs in
        let base = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
        for (index, field) in fields.enumerated() {
          unsafe pairs.initializeElement(at: index, to: field.pair(in: base))
        }
        return unsafe body(UnsafePointer(pairs.baseAddress), fields.count)
      }
    }
  }
}

extension HeaderBlock.Field {
  fileprivate func pair(in base: UnsafeMutablePointer<UInt8>?) -> nghttp2_nv {
    var pair = unsafe nghttp2_nv()
    unsafe pair.value = base.map { unsafe $0 + Int(valueStart) }
    unsafe pair.valuelen = Int(valueCount)
    if nameCount > 0 {
      unsafe pair.name = base.map { unsafe $0 + Int(valueStart - nameCount) }
      unsafe pair.namelen = Int(nameCount)
    } else {
      unsafe pair.name = UnsafeMutablePointer(mutating: name.utf8Start)
      unsafe pair.namelen = name.utf8CodeUnitCount
    }
    if indexing != .full { unsafe pair.flags = UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) }
    return unsafe pair
  }
}
