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
    let flags = secret ? UInt8(NGHTTP2_NV_FLAG_NO_INDEX.rawValue) : 0
    return unsafe nghttp2_nv(
      name: base.map { unsafe $0 + Int(nameStart) },
      value: base.map { unsafe $0 + Int(valueStart) },
      namelen: Int(nameCount), valuelen: Int(valueCount), flags: flags)
  }
}
