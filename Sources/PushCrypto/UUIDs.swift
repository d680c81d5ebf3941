internal import COpenSSL

/// UUIDs made from a name: the same name always gives the same UUID (RFC 9562 5.5).
package enum UUIDv5 {
  /// The namespace of `apns-id`.
  package static let pushNamespace: [UInt8] = [
    0x6b, 0xa7, 0xb8, 0x12, 0x9d, 0xad, 0x11, 0xd1, 0x80, 0xb4, 0x00, 0xc0, 0x4f, 0xd4, 0x30, 0xc8,
  ]

  /// The 36 lower-case bytes of the UUID of `name` in a namespace of 16 bytes.
  package static func text(namespace: [UInt8], name: [UInt8]) -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(36)
    append(namespace: namespace, name: name.span, to: &out)
    return out
  }

  /// Appends the 36 bytes; allocates nothing when `out` has room.
  package static func append(namespace: [UInt8], name: Span<UInt8>, to out: inout [UInt8]) {
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digest in
      unsafe namespace.withUnsafeBufferPointer { space in
        unsafe name.withUnsafeBufferPointer { name in
          unsafe cssl_sha1(
            space.baseAddress, space.count, name.baseAddress, name.count, digest.baseAddress)
        }
      }
      unsafe UUIDText.append(UnsafeBufferPointer(digest).span, version: 5, to: &out)
    }
  }
}

/// Random UUIDs (RFC 9562 5.4).
package enum UUIDv4 {
  /// The 36 lower-case bytes of a new one.
  package static func text() -> [UInt8] {
    var out: [UInt8] = []
    out.reserveCapacity(36)
    UUIDText.append(RandomBytes.make(16).span, version: 4, to: &out)
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

/// The form 8-4-4-4-12 of 16 bytes with version and variant set.
enum UUIDText {
  static func append(_ bytes: Span<UInt8>, version: UInt8, to out: inout [UInt8]) {
    // Of one piece: an array asks at each append whether it is its only owner.
    unsafe withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 36) { text in
      var place = 0
      for at in 0..<16 {
        if at == 4 || at == 6 || at == 8 || at == 10 {
          unsafe text[place] = 0x2D
          place += 1
        }
        var byte = bytes[at]
        if at == 6 { byte = byte & 0x0F | version << 4 }
        if at == 8 { byte = byte & 0x3F | 0x80 }
        unsafe text[place] = Hex.digit(byte >> 4)
        unsafe text[place + 1] = Hex.digit(byte & 0x0F)
        place += 2
      }
      unsafe out.append(contentsOf: text)
    }
  }
}
