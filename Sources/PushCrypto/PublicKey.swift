internal import COpenSSL

/// A key that verifies. Immutable; any thread may use it.
@safe package final class PublicKey: @unchecked Sendable {
  private let raw: OpaquePointer

  /// Takes over an EVP_PKEY.
  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe EVP_PKEY_free(raw) }

  /// Reads `-----BEGIN PUBLIC KEY-----` or the key of a certificate.
  package convenience init(pem: [UInt8]) throws(CryptoError) {
    ErrorQueue.clear()
    let repaired = PEM.repaired(pem)
    if let certificate = try? Certificate(pem: repaired) {
      self.init(copying: certificate.publicKey)
      return
    }
    let input = MemoryBIO(repaired)
    guard let raw = unsafe PEM_read_bio_PUBKEY(input.raw, nil, cssl_no_prompt, nil) else {
      throw CryptoError(.notAKey, "no public key found: \(ErrorQueue.take())")
    }
    unsafe self.init(owning: raw)
  }

  /// The P-256 point of a JWK: `x` and `y` decoded, 32 bytes each.
  package convenience init(x: [UInt8], y: [UInt8]) throws(CryptoError) {
    guard x.count == 32, y.count == 32 else {
      throw CryptoError(.notAKey, "x and y of a P-256 point have 32 bytes")
    }
    let der = Self.p256Prefix + x + y
    let raw = unsafe der.withUnsafeBufferPointer { der in
      var at = der.baseAddress
      return unsafe d2i_PUBKEY(nil, &at, der.count)
    }
    guard let raw = unsafe raw else {
      throw CryptoError(.notAKey, "x and y are no point of P-256: \(ErrorQueue.take())")
    }
    unsafe self.init(owning: raw)
  }

  private convenience init(copying other: PublicKey) {
    unsafe EVP_PKEY_up_ref(other.raw)
    unsafe self.init(owning: other.raw)
  }

  /// The key as `-----BEGIN PUBLIC KEY-----`.
  package var pem: [UInt8] {
    let out = MemoryBIO()
    unsafe PEM_write_bio_PUBKEY(out.raw, raw)
    return out.contents
  }

  /// True when `signature` is the 64 bytes R and S of this key over `message`.
  package func verifyES256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard unsafe EVP_PKEY_get_base_id(raw) == EVP_PKEY_EC,
      let der = ECDSASignature.der(raw: signature)
    else { return false }
    return verify(der, of: message)
  }

  /// True when `signature` is this RSA key's PKCS#1 v1.5 signature over `message`.
  package func verifyRS256(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    guard unsafe EVP_PKEY_get_base_id(raw) == EVP_PKEY_RSA else { return false }
    return verify(signature, of: message)
  }

  private func verify(_ signature: [UInt8], of message: [UInt8]) -> Bool {
    defer { ErrorQueue.clear() }
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    return unsafe EVP_DigestVerifyInit_ex(context, nil, "SHA256", nil, nil, raw, nil) == 1
      && EVP_DigestVerify(context, signature, signature.count, message, message.count) == 1
  }

  /// SubjectPublicKeyInfo of P-256 up to the uncompressed point's first byte (RFC 5480 2).
  private static let p256Prefix: [UInt8] = [
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 0x02, 0x01, 0x06, 0x08, 0x2A,
    0x86, 0x48, 0xCE, 0x3D, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00, 0x04,
  ]
}
