internal import COpenSSL

/// SHA-256 of bytes.
///
/// The context lies on the stack, so every thread may call it and nothing is kept: OpenSSL's EVP
/// interface costs 1.3-2 us a digest for the look-up alone.
package enum SHA256 {
  /// The 32 bytes of the digest.
  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 32) { out, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe cssl_sha256(bytes.baseAddress, bytes.count, out.baseAddress)
      }
      count = 32
    }
  }

  /// The 32 bytes of the digest.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

  /// The digest as 64 lower-case hex digits.
  package static func hex(_ bytes: [UInt8]) -> [UInt8] { Hex.encode(hash(bytes)) }
}

/// SHA-1 of bytes: for names made from content (UUID version 5, script names), never for trust.
package enum SHA1 {
  /// The 20 bytes of the digest.
  package static func hash(_ bytes: Span<UInt8>) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: 20) { out, count in
      unsafe bytes.withUnsafeBufferPointer { bytes in
        unsafe cssl_sha1(nil, 0, bytes.baseAddress, bytes.count, out.baseAddress)
      }
      count = 20
    }
  }

  /// The 20 bytes of the digest.
  package static func hash(_ bytes: [UInt8]) -> [UInt8] { hash(bytes.span) }

  /// The digest as 40 lower-case hex digits.
  package static func hex(_ bytes: [UInt8]) -> [UInt8] { Hex.encode(hash(bytes)) }
}
