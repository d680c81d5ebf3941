internal import COpenSSL

extension PrivateKey {
  /// The signature of JWS' ES256: R and S, 32 bytes each (RFC 7518 3.4).
  package func signES256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard kind == .p256 else { throw wrongKind("a P-256 key") }
    guard let raw = ECDSASignature.raw(der: try sign(message)) else {
      throw CryptoError(.failed, "the signature has no R and S")
    }
    return raw
  }

  /// The signature of JWS' RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 7518 3.3).
  package func signRS256(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    guard kind == .rsa else { throw wrongKind("an RSA key") }
    return try sign(message)
  }

  private func wrongKind(_ needed: String) -> CryptoError {
    let name =
      switch kind {
      case .p256: "P-256"
      case .rsa: "RSA"
      case .other(let name): name
      }
    return CryptoError(.wrongKind, "\(needed) is needed, this one is \(name)")
  }

  private func sign(_ message: [UInt8]) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    let context = unsafe EVP_MD_CTX_new()
    defer { unsafe EVP_MD_CTX_free(context) }
    // The largest signature: 256 bytes of RSA-2048, more for larger keys.
    let room = Int(unsafe EVP_PKEY_get_size(raw))
    var made = 0
    let signature = unsafe [UInt8](unsafeUninitializedCapacity: room) { out, count in
      count = room
      let ok =
        unsafe EVP_DigestSignInit_ex(context, nil, "SHA256", nil, nil, raw, nil) == 1
        && EVP_DigestSign(context, out.baseAddress, &count, message, message.count) == 1
      if !ok { count = 0 }
      made = count
    }
    guard made > 0 else { throw CryptoError(.failed, "no signature: \(ErrorQueue.take())") }
    return signature
  }
}

/// JWS wants R and S as two 32-byte numbers; OpenSSL speaks DER, with leading zeros cut.
enum ECDSASignature {
  static func raw(der: [UInt8]) -> [UInt8]? {
    let parsed: OpaquePointer? = unsafe der.withUnsafeBufferPointer { der in
      var at = der.baseAddress
      return unsafe d2i_ECDSA_SIG(nil, &at, der.count)
    }
    guard let parsed = unsafe parsed else { return nil }
    defer { unsafe ECDSA_SIG_free(parsed) }
    var raw = [UInt8](repeating: 0, count: 64)
    let ok = unsafe raw.withUnsafeMutableBufferPointer { raw in
      unsafe BN_bn2binpad(ECDSA_SIG_get0_r(parsed), raw.baseAddress, 32) == 32
        && BN_bn2binpad(ECDSA_SIG_get0_s(parsed), raw.baseAddress! + 32, 32) == 32
    }
    return ok ? raw : nil
  }

  /// Nil unless `raw` has 64 bytes.
  static func der(raw: [UInt8]) -> [UInt8]? {
    guard raw.count == 64, let made = unsafe ECDSA_SIG_new() else { return nil }
    defer { unsafe ECDSA_SIG_free(made) }
    let taken = unsafe raw.withUnsafeBufferPointer { raw in
      unsafe ECDSA_SIG_set0(
        made, BN_bin2bn(raw.baseAddress, 32, nil), BN_bin2bn(raw.baseAddress! + 32, 32, nil)) == 1
    }
    guard taken else { return nil }
    // 72 bytes at most: two numbers of 33 with their headers.
    let der = unsafe [UInt8](unsafeUninitializedCapacity: 80) { out, count in
      var at = out.baseAddress
      count = max(0, Int(unsafe i2d_ECDSA_SIG(made, &at)))
    }
    return der.isEmpty ? nil : der
  }
}
