internal import COpenSSL

/// A certificate with its key, as a `CertificateAuthority` made it.
package struct IssuedIdentity: Sendable {
  package let certificate: Certificate
  package let key: PrivateKey
  package let authority: Certificate

  package var certificatePEM: [UInt8] { certificate.pem }
  /// Leaf first, as TLS wants it.
  package var chainPEM: [UInt8] { certificate.pem + authority.pem }
  package var keyPEM: [UInt8] { key.pem }
  /// One file with both, as people keep client certificates.
  package var combinedPEM: [UInt8] { certificate.pem + key.pem }

  /// The same as PKCS#12 with today's ciphers (a `.p12` file), with these beside it.
  package func makeP12(
    password: String, with others: [Certificate] = []
  ) throws(CryptoError) -> [UInt8] {
    ErrorQueue.clear()
    let stack = unsafe cssl_new_stack()
    defer { unsafe cssl_free_stack(stack) }
    for other in others { unsafe cssl_push(stack, other.raw) }
    let made = unsafe PKCS12_create(
      password, certificate.commonName ?? "", key.raw, certificate.raw, stack, 0, 0, 0, 0, 0)
    guard let made = unsafe made else {
      throw CryptoError(.failed, "no PKCS#12: \(ErrorQueue.take())")
    }
    defer { unsafe PKCS12_free(made) }
    let out = MemoryBIO()
    unsafe i2d_PKCS12_bio(out.raw, made)
    return out.contents
  }
}
