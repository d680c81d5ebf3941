internal import COpenSSL

/// What a certificate is to say, before it is signed.
struct CertificateDraft {
  var commonName: String
  var userID: String?
  var validity = CertificateAuthority.Validity.usual
  /// OpenSSL's number of each extension with its value in the form of openssl.cnf.
  var extensions: [(Int32, String)] = []
  /// Extensions that OpenSSL does not know: object identifier and DER.
  var foreignExtensions: [(String, [UInt8])] = []

  init(commonName: String) { self.commonName = commonName }

  /// The certificate; signed by itself when there is no issuer.
  func signed(
    subjectKey: PrivateKey, issuer: Certificate?, issuerKey: PrivateKey
  ) throws(CryptoError) -> Certificate {
    ErrorQueue.clear()
    guard let raw = unsafe X509_new() else { throw CryptoError(.failed, "no memory") }
    let certificate = unsafe Certificate(owning: raw)
    unsafe X509_set_version(raw, 2)  // 2 is v3
    unsafe setSerialNumber(raw)
    unsafe setTime(X509_getm_notBefore(raw), days: validity.fromDays)
    unsafe setTime(X509_getm_notAfter(raw), days: validity.toDays)
    let name = unsafe X509_get_subject_name(raw)
    unsafe add("CN", commonName, to: name)
    if let userID { unsafe add("UID", userID, to: name) }
    unsafe X509_set_issuer_name(raw, issuer.map { unsafe X509_get_subject_name($0.raw) } ?? name)
    unsafe X509_set_pubkey(raw, subjectKey.raw)
    for (id, value) in extensions { unsafe try add(id, value, to: raw, issuer: issuer?.raw ?? raw) }
    for (name, value) in foreignExtensions { unsafe try add(name, value, to: raw) }
    guard unsafe X509_sign(raw, issuerKey.raw, EVP_sha256()) > 0 else {
      throw CryptoError(.failed, "the certificate cannot be signed: \(ErrorQueue.take())")
    }
    return certificate
  }

  private func setSerialNumber(_ raw: OpaquePointer) {
    // Positive and of fixed length (RFC 5280 4.1.2.2).
    let bytes = [0x40] + RandomBytes.make(15)
    let number = unsafe BN_bin2bn(bytes, Int32(bytes.count), nil)
    defer { unsafe BN_free(number) }
    unsafe BN_to_ASN1_INTEGER(number, X509_get_serialNumber(raw))
  }

  private func setTime(_ time: UnsafeMutablePointer<ASN1_TIME>?, days: Int) {
    unsafe X509_time_adj_ex(time, Int32(days), 0, nil)
  }

  private func add(_ field: String, _ value: String, to name: OpaquePointer?) {
    let value = Array(value.utf8)
    unsafe X509_NAME_add_entry_by_txt(
      name, field, MBSTRING_UTF8, value, Int32(value.count), -1, 0)
  }

  private func add(
    _ name: String, _ der: [UInt8], to raw: OpaquePointer
  ) throws(CryptoError) {
    let value = "DER:" + String(decoding: Hex.encode(der), as: UTF8.self)
    guard let made = unsafe X509V3_EXT_conf(nil, nil, name, value) else {
      throw CryptoError(.failed, "no extension \(name): \(ErrorQueue.take())")
    }
    defer { unsafe X509_EXTENSION_free(made) }
    unsafe X509_add_ext(raw, made, -1)
  }

  private func add(
    _ id: Int32, _ value: String, to raw: OpaquePointer, issuer: OpaquePointer
  ) throws(CryptoError) {
    var context = unsafe X509V3_CTX()
    unsafe X509V3_set_ctx(&context, issuer, raw, nil, nil, 0)
    guard let made = unsafe X509V3_EXT_conf_nid(nil, &context, id, value) else {
      throw CryptoError(.failed, "no extension \(value): \(ErrorQueue.take())")
    }
    defer { unsafe X509_EXTENSION_free(made) }
    unsafe X509_add_ext(raw, made, -1)
  }
}
