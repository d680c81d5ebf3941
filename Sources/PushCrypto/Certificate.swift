internal import COpenSSL

/// A certificate and the facts of it that people and rules ask for.
@safe package final class Certificate: @unchecked Sendable {
  let raw: OpaquePointer

  /// Takes over an X509.
  init(owning raw: OpaquePointer) { unsafe self.raw = raw }

  deinit { unsafe X509_free(raw) }

  /// The first certificate of a PEM file.
  package convenience init(pem: [UInt8]) throws(CryptoError) {
    ErrorQueue.clear()
    let input = MemoryBIO(PEM.repaired(pem))
    guard let raw = unsafe PEM_read_bio_X509(input.raw, nil, cssl_no_prompt, nil) else {
      throw CryptoError(.notACertificate, "no certificate found: \(ErrorQueue.take())")
    }
    unsafe self.init(owning: raw)
  }

  /// All certificates of a PEM file in their order, at least one.
  package static func all(pem: [UInt8]) throws(CryptoError) -> [Certificate] {
    let blocks = PEM.blocks(in: pem).filter { $0.label.ends(with: "CERTIFICATE") }
    if blocks.isEmpty { throw CryptoError(.notACertificate, "no certificate found") }
    return try blocks.map { (block) throws(CryptoError) in
      try Certificate(pem: PEM.write(block))
    }
  }

  /// One as a peer sends it.
  package convenience init(der: [UInt8]) throws(CryptoError) {
    let raw = unsafe der.withUnsafeBufferPointer { der in
      var at = der.baseAddress
      return unsafe d2i_X509(nil, &at, der.count)
    }
    guard let raw = unsafe raw else {
      throw CryptoError(.notACertificate, "no certificate: \(ErrorQueue.take())")
    }
    unsafe self.init(owning: raw)
  }

  package var pem: [UInt8] {
    let out = MemoryBIO()
    unsafe PEM_write_bio_X509(out.raw, raw)
    return out.contents
  }

  /// Valid from, in UNIX seconds.
  package var notBefore: Int64 { unsafe Self.seconds(X509_get0_notBefore(raw)) }

  /// Valid until, in UNIX seconds.
  package var notAfter: Int64 { unsafe Self.seconds(X509_get0_notAfter(raw)) }

  /// The subject as RFC 2253 writes it, such as `UID=com.example.chat,CN=Apple Push`.
  package var subject: String { unsafe Self.text(X509_get_subject_name(raw)) }

  package var issuer: String { unsafe Self.text(X509_get_issuer_name(raw)) }

  /// The subject's UID, which in Apple's push certificates is the base topic (apns.md 6).
  package var userID: String? { entry(NID_userId) }

  package var commonName: String? { entry(NID_commonName) }

  /// Host names and addresses it stands for.
  package var alternativeNames: [String] {
    let at = unsafe X509_get_ext_by_NID(raw, NID_subject_alt_name, -1)
    guard at >= 0 else { return [] }
    let out = MemoryBIO()
    unsafe X509V3_EXT_print(out.raw, X509_get_ext(raw, at), 0, 0)
    return String(decoding: out.contents, as: UTF8.self).split(separator: ", ").map { name in
      guard let colon = name.firstIndex(of: ":") else { return String(name) }
      return String(name[name.index(after: colon)...])
    }
  }

  package var publicKey: PublicKey {
    // A certificate that was parsed or made has a key.
    guard let key = unsafe X509_get_pubkey(raw) else { preconditionFailure("no public key") }
    return unsafe PublicKey(owning: key)
  }

  private func entry(_ id: Int32) -> String? {
    let name = unsafe X509_get_subject_name(raw)
    let at = unsafe X509_NAME_get_index_by_NID(name, id, -1)
    guard at >= 0, let entry = unsafe X509_NAME_get_entry(name, at),
      let data = unsafe X509_NAME_ENTRY_get_data(entry)
    else { return nil }
    var bytes: UnsafeMutablePointer<UInt8>? = nil
    let count = unsafe ASN1_STRING_to_UTF8(&bytes, data)
    guard count >= 0 else { return nil }
    defer { unsafe cssl_free(bytes) }
    let text = unsafe UnsafeBufferPointer(start: bytes, count: Int(count))
    return unsafe String(decoding: text, as: UTF8.self)
  }

  private static func text(_ name: OpaquePointer?) -> String {
    let out = MemoryBIO()
    unsafe cssl_print_name(out.raw, name)
    return String(decoding: out.contents, as: UTF8.self)
  }

  /// By difference from 1970, so that no time zone has a part in it.
  private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
    let epoch = unsafe ASN1_TIME_set(nil, 0)
    defer { unsafe ASN1_TIME_free(epoch) }
    var days: Int32 = 0
    var seconds: Int32 = 0
    guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
    return Int64(days) * 86_400 + Int64(seconds)
  }
}
