internal import COpenSSL

/// A block of memory that OpenSSL reads from or writes to.
@safe struct MemoryBIO: ~Copyable {
  let raw: OpaquePointer

  /// An empty one to write to.
  init() {
    // BIO_new fails only without memory, as every allocation of Swift's own does.
    guard let raw = unsafe BIO_new(BIO_s_mem()) else { preconditionFailure("no memory") }
    unsafe self.raw = raw
  }

  /// One that gives these bytes, which it copies.
  init(_ bytes: [UInt8]) {
    self.init()
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe BIO_write(raw, bytes.baseAddress, Int32(bytes.count))
    }
  }

  deinit { unsafe BIO_free_all(raw) }

  /// All that was written.
  var contents: [UInt8] {
    var start: UnsafeMutablePointer<CChar>? = nil
    let count = unsafe cssl_bio_bytes(raw, &start)
    return unsafe [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }
}

/// The thread's queue of OpenSSL errors.
enum ErrorQueue {
  /// To be called before a call whose failure is to be explained: older errors may still be there.
  static func clear() { ERR_clear_error() }

  /// The reason of the last failure in OpenSSL's words, which never hold key material; empties
  /// the queue.
  static func take() -> String {
    let code = ERR_peek_last_error()
    defer { ERR_clear_error() }
    guard code != 0, let reason = unsafe ERR_reason_error_string(code) else { return "refused" }
    return unsafe String(cString: reason)
  }
}
