internal import COpenSSL

/// UUIDs made from a name: the same name always gives the same UUID (RFC 9562 5.5).
package enum UUIDv5 {
  /// The namespace of `apns-id`.
  package static let pushNamespace: [16 of UInt8] = [
    0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
  ]

  /// The 36 lower-case bytes of the UUID of `name` in a namespace of 16 bytes.
  package static func text(namespace: [16 of UInt8], name: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    set(&out, namespace: namespace, name: name.span)
    return out
  }

  /// Makes `out` the 36 bytes; allocates nothing when it had as many.
  package static func set(_ out: inout [UInt8], namespace: [16 of UInt8], name: Span<UInt8>) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digest in
      unsafe namespace.span.withUnsafeBufferPointer { space in
        unsafe name.withUnsafeBufferPointer { name in
          unsafe cssl_sha1(
            space.baseAddress, space.count, name.baseAddress, name.count, digest.baseAddress)
        }
      }
      unsafe UUIDText.set(&out, UnsafeBufferPointer(digest).span, version: 5)
    }
  }
}

/// Random UUIDs (RFC 9562 5.4).
package enum UUIDv4 {
  /// The 36 lower-case bytes of a new one.
  package static func text() -> [UInt8] {
    var out: [UInt8] = []
    UUIDText.set(&out, RandomBytes.make(16).span, version: 4)
    return out
  }
}

/// Bytes nobody can guess.
package enum RandomBytes {
  package static func make(_ count: Int) -> [UInt8] {
    unsafe [UInt8](unsafeUninitializedCapacity: count) { out, made in
      // Fails only when the kernel gives no entropy, and then nothing we make may be trusted.
      let ok = unsafe RAND_bytes(out.baseAddress, Int32(count)) == 1
      precondition(ok, "no random bytes")
      made = count
    }
  }
}

/// The form 8-4-4-4-12 of the first 16 bytes with version and variant set.
enum UUIDText {
  static func set(_ out: inout [UInt8], _ bytes: Span<UInt8>, version: UInt8) {
    if out.count != 36 { out = [UInt8](repeating: 0x2D, count: 36) }
    let dash: UInt8 = 0x2D
    let first = Hex.digits(bytes[0], bytes[1], bytes[2], bytes[3])
    let time = Hex.digits(bytes[4], bytes[5], bytes[6] & 0x0F | version << 4, bytes[7])
    let node = Hex.digits(bytes[8] & 0x3F | 0x80, bytes[9], bytes[10], bytes[11])
    let last = Hex.digits(bytes[12], bytes[13], bytes[14], bytes[15])
    unsafe out.withUnsafeMutableBytes { text in
      // All places lie in the 36 bytes.
      unsafe text.storeBytes(of: first, as: UInt64.self)
      for place in stride(from: 8, to: 24, by: 5) { unsafe text[place] = dash }
      unsafe text.storeBytes(of: UInt32(truncatingIfNeeded: time), toByteOffset: 9, as: UInt32.self)
      unsafe text.storeBytes(of: UInt32(time >> 32), toByteOffset: 14, as: UInt32.self)
      unsafe text.storeBytes(
        of: UInt32(truncatingIfNeeded: node), toByteOffset: 19, as: UInt32.self)
      unsafe text.storeBytes(of: UInt32(node >> 32), toByteOffset: 24, as: UInt32.self)
      unsafe text.storeBytes(of: last, toByteOffset: 28, as: UInt64.self)
    }
  }
}
