internal import COpenSSL

/// A key that signs. Immutable; any thread may sign with it.
@safe package final class PrivateKey: @unchecked Sendable {
  package enum Kind: Sendable, Equatable {
    case p256
    case rsa
    /// OpenSSL's name of another kind: it serves TLS, but signs no token.
    case other(String)
  }

  let raw: OpaquePointer
  package let kind: Kind

  /// Reads a key: PKCS#8, SEC1 or PKCS#1 as PEM with line breaks of any sort, bare base64 on one
  /// line, or DER; alone or beside its certificate. Never asks for a password.
  package convenience init(pem: [UInt8], password: [UInt8]? = nil) throws(CryptoError) {
    let raw = unsafe try KeyReader.read(pem, password: password)
    unsafe self.init(owning: raw)
  }

  /// Takes over an EVP_PKEY.
  init(owning raw: OpaquePointer) {
    unsafe self.raw = raw
    unsafe kind = Self.kind(of: raw)
  }

  deinit { unsafe EVP_PKEY_free(raw) }

  /// A new P-256 key.
  package static func makeP256() throws(CryptoError) -> PrivateKey {
    unsafe try made(cssl_make_p256())
  }

  /// A new RSA key of 2,048 bits. Takes a tenth of a second and more.
  package static func makeRSA2048() throws(CryptoError) -> PrivateKey {
    unsafe try made(cssl_make_rsa(2_048))
  }

  /// Only the half that verifies.
  package var publicKey: PublicKey {
    unsafe EVP_PKEY_up_ref(raw)
    return unsafe PublicKey(owning: raw)
  }

  /// The key as unencrypted PKCS#8. For files of mode 0600 and for TLS, never for a log.
  package var pem: [UInt8] {
    let out = MemoryBIO()
    unsafe PEM_write_bio_PKCS8PrivateKey(out.raw, raw, nil, nil, 0, nil, nil)
    return out.contents
  }

  private static func made(_ raw: OpaquePointer?) throws(CryptoError) -> PrivateKey {
    guard let raw = unsafe raw else {
      throw CryptoError(.failed, "no key made: \(ErrorQueue.take())")
    }
    return unsafe PrivateKey(owning: raw)
  }

  private static func kind(of raw: OpaquePointer) -> Kind {
    switch unsafe EVP_PKEY_get_base_id(raw) {
    case EVP_PKEY_RSA: return .rsa
    case EVP_PKEY_EC:
      let name = unsafe [CChar](unsafeUninitializedCapacity: 64) { name, count in
        var length = 0
        let ok = unsafe EVP_PKEY_get_group_name(raw, name.baseAddress, 64, &length) == 1
        count = ok ? length : 0
      }
      let curve = String(decoding: name.map(UInt8.init(bitPattern:)), as: UTF8.self)
      return curve == "prime256v1" ? .p256 : .other("EC \(curve)")
    default:
      guard let name = unsafe EVP_PKEY_get0_type_name(raw) else { return .other("unknown") }
      return unsafe .other(String(cString: name))
    }
  }
}
