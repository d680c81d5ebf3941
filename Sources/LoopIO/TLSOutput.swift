internal import COpenSSL

/// What OpenSSL writes its records to.
///
/// Its own memory BIO clears each record's memory before it copies the record there, and has it
/// copied out again: a fortieth of a push (callgrind).
@safe final class TLSOutput {
  var bytes: [UInt8] = []

  /// A BIO for one session, which must end before this object.
  func makeBIO() -> OpaquePointer? {
    guard let method = unsafe Self.method, let bio = unsafe BIO_new(method) else { return nil }
    unsafe BIO_set_data(bio, Unmanaged.passUnretained(self).toOpaque())
    return unsafe bio
  }

  /// Made once, never changed and never freed.
  nonisolated(unsafe) private static let method: OpaquePointer? = {
    let method = unsafe BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "records")
    unsafe BIO_meth_set_write_ex(method) { bio, bytes, count, written in
      guard let user = unsafe BIO_get_data(bio), let bytes = unsafe bytes else { return 0 }
      let source = unsafe UnsafeRawBufferPointer(start: bytes, count: count)
      unsafe Unmanaged<TLSOutput>.fromOpaque(user)._withUnsafeGuaranteedRef {
        unsafe $0.bytes.append(contentsOf: source)
      }
      unsafe written?.pointee = count
      return 1
    }
    // Nothing waits here, so flushing succeeds; OpenSSL asks for nothing else that it must have.
    unsafe BIO_meth_set_ctrl(method) { _, command, _, _ in command == BIO_CTRL_FLUSH ? 1 : 0 }
    return unsafe method
  }()
}
