internal import COpenSSL

/// A `.p12` file: a certificate with its key, under a password.
package struct PKCS12: Sendable {
  package let certificate: Certificate
  /// What else the file holds, in any order.
  package let authorities: [Certificate]
  /// Unencrypted PKCS#8.
  package let keyPEM: [UInt8]

  /// Opens a file. Ciphers of the last century (RC2-40, as old keychains export) are refused with
  /// the remedy.
  package static func read(_ file: [UInt8], password: [UInt8]) throws(CryptoError) -> PKCS12 {
    ErrorQueue.clear()
    let input = MemoryBIO(file)
    guard let parsed = unsafe d2i_PKCS12_bio(input.raw, nil) else {
      ErrorQueue.clear()
      throw CryptoError(.notACertificate, "this is no PKCS#12 file")
    }
    defer { unsafe PKCS12_free(parsed) }
    var key: OpaquePointer? = nil
    var certificate: OpaquePointer? = nil
    var others: OpaquePointer? = nil
    defer { unsafe cssl_free_stack(others) }
    let ended = (password.prefix { $0 != 0 } + [0]).map(CChar.init(bitPattern:))
    guard unsafe PKCS12_parse(parsed, ended, &key, &certificate, &others) == 1 else {
      throw refusal()
    }
    let heldKey = unsafe key.map { unsafe PrivateKey(owning: $0) }
    let heldCertificate = unsafe certificate.map { unsafe Certificate(owning: $0) }
    var authorities: [Certificate] = []
    while let next = unsafe cssl_pop(others) {
      unsafe authorities.append(Certificate(owning: next))
    }
    guard let heldKey, let heldCertificate else {
      throw CryptoError(.notAKey, "the file holds no certificate with its key")
    }
    return PKCS12(
      certificate: heldCertificate, authorities: authorities, keyPEM: heldKey.pem)
  }

  private static func refusal() -> CryptoError {
    let why = ErrorQueue.take()
    if why.contains("unsupported") {
      return CryptoError(
        .failed,
        "the file uses an old cipher (RC2-40 or the like); convert it: openssl pkcs12 -legacy "
          + "-in old.p12 -nodes -out push.pem, and name push.pem, or make a new .p12 of it with "
          + "openssl pkcs12 -export -in push.pem -out new.p12")
    }
    return CryptoError(.wrongPassword, "the file does not open: \(why)")
  }
}
