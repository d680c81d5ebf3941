internal import LoopIO
internal import PushCrypto

/// A push certificate with its key and the certificates between it and a root (apns.md 6): PKCS#12
/// or PEM.
struct CertificateFile {
  let identity: TLSIdentity
  /// End of its life in UNIX seconds.
  let notAfter: Int64
  let topics: CertificateTopics

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
    return CertificateFile(parts.certificate, among: parts.authorities, keyPEM: parts.keyPEM)
  }

  private static func pem(
    _ bytes: [UInt8], _ password: [UInt8]?
  ) throws(CryptoError) -> CertificateFile {
    let all = try Certificate.all(pem: bytes)
    let key = try PrivateKey(pem: bytes, password: password)
    // In any order; when none is the key's, TLS says so of the first.
    let leaf = all.first { $0.belongs(to: key) } ?? all[0]
    return CertificateFile(leaf, among: all.filter { $0 !== leaf }, keyPEM: key.pem)
  }

  private init(_ leaf: Certificate, among others: [Certificate], keyPEM: [UInt8]) {
    let chain = CertificateChain.ordered(from: leaf, among: others)
    identity = TLSIdentity(
      certificateChainPEM: chain.flatMap(\.pem), privateKeyPEM: keyPEM)
    notAfter = leaf.notAfter
    topics = CertificateTopics(listed: leaf.pushTopics, userID: leaf.userID)
  }
}
