internal import LoopIO
internal import PushCrypto

/// A push certificate with its key (apns.md 6): PKCS#12 or PEM.
struct CertificateFile {
  let identity: TLSIdentity
  /// End of its life in UNIX seconds.
  let notAfter: Int64

  static func read(
    _ file: String, passwordFile: String?
  ) throws(CredentialError) -> CertificateFile {
    let bytes = try KeyFile.read(file)
    let password = try passwordFile.map { (path) throws(CredentialError) in
      Array(try KeyFile.read(path).prefix { $0 != 0x0A && $0 != 0x0D })
    }
    do throws(CryptoError) {
      // DER begins with a SEQUENCE; no PEM file does.
      return bytes.first == 0x30
        ? try pkcs12(bytes, password ?? []) : try pem(bytes, password)
    } catch {
      let hint =
        error.code == .wrongPassword && passwordFile == nil ? "; no passwordFile is set" : ""
      throw CredentialError(file: file, error.detail + hint)
    }
  }

  private static func pkcs12(
    _ bytes: [UInt8], _ password: [UInt8]
  ) throws(CryptoError) -> CertificateFile {
    let parts = try PKCS12.read(bytes, password: password)
    return CertificateFile(
      identity: TLSIdentity(
        certificateChainPEM: parts.certificatePEM, privateKeyPEM: parts.keyPEM),
      notAfter: try Certificate(pem: parts.certificatePEM).notAfter)
  }

  private static func pem(
    _ bytes: [UInt8], _ password: [UInt8]?
  ) throws(CryptoError) -> CertificateFile {
    let certificate = try Certificate(pem: bytes)
    let key = try PrivateKey(pem: bytes, password: password)
    return CertificateFile(
      identity: TLSIdentity(certificateChainPEM: certificate.pem, privateKeyPEM: key.pem),
      notAfter: certificate.notAfter)
  }
}
