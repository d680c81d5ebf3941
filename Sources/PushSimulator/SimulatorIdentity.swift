import LoopIO
import PushCrypto

/// Keys and certificates of the simulator; made at its first start in a folder and kept there.
struct SimulatorIdentity {
  let providerKey: ProviderKey
  let accountKey: PrivateKey
  let apnsTLS: TLSContext
  let fcmTLS: TLSContext

  static let caFile = "ca.pem"
  static let providerKeyFile = "AuthKey_\(ProviderKey.keyID).p8"
  /// Of `client.p12`: real ones have a password too.
  static let clientPassword = "allim"

  init(folder: String, topic: String) throws(SimulatorError) {
    let maker = IdentityMaker(folder: folder)
    try FileBytes.makeFolder(folder)
    let authority = try maker.authority()
    let key = try maker.key(Self.providerKeyFile) { () throws(CryptoError) in
      try PrivateKey.makeP256()
    }
    providerKey = ProviderKey(publicKey: key.publicKey)
    accountKey = try maker.key("service-account-key.pem") { () throws(CryptoError) in
      try PrivateKey.makeRSA2048()
    }
    try maker.makeClient(authority, topic: topic)
    let pem = try maker.server(authority)
    let server = TLSIdentity(certificateChainPEM: pem, privateKeyPEM: pem)
    do {
      // protocol/apns.md 1: TLS 1.2 or later, ALPN h2; 6: certificates of one's own authority.
      apnsTLS = try TLSContext.server(
        identity: server, alpn: ["h2"], asksForClientCertificate: true,
        clientCAFile: "\(folder)/\(Self.caFile)")
      fcmTLS = try TLSContext.server(identity: server, alpn: ["h2"])
    } catch {
      throw SimulatorError(.file, "the certificates in \(folder) cannot be used: \(error.detail)")
    }
  }
}

/// Makes what is not in the folder yet.
private struct IdentityMaker {
  let folder: String

  func authority() throws(SimulatorError) -> CertificateAuthority {
    let certificate = try read(SimulatorIdentity.caFile)
    let key = try read("ca-key.pem")
    return try crypto { () throws(CryptoError) in
      if let certificate, let key {
        return try CertificateAuthority(certificatePEM: certificate, keyPEM: key)
      }
      return try CertificateAuthority(name: "allim-sim")
    } then: { (made) throws(SimulatorError) in
      try write(SimulatorIdentity.caFile, made.certificatePEM)
      try write("ca-key.pem", made.key.pem)
    }
  }

  func key(
    _ name: String, make: () throws(CryptoError) -> PrivateKey
  ) throws(SimulatorError) -> PrivateKey {
    let kept = try read(name)
    return try crypto { () throws(CryptoError) in
      if let kept { return try PrivateKey(pem: kept) }
      return try make()
    } then: { (made) throws(SimulatorError) in
      if kept == nil { try write(name, made.pem) }
    }
  }

  /// Certificate, its authority's and key in one PEM file.
  func server(_ authority: CertificateAuthority) throws(SimulatorError) -> [UInt8] {
    if let kept = try read("server.pem") { return kept }
    return try crypto { () throws(CryptoError) in
      let made = try authority.makeServer()
      return made.chainPEM + made.keyPEM
    } then: { (pem) throws(SimulatorError) in
      try write("server.pem", pem)
    }
  }

  /// The client certificate of a team that pushes without keys (protocol/apns.md 6).
  func makeClient(_ authority: CertificateAuthority, topic: String) throws(SimulatorError) {
    if try read("client.p12") != nil { return }
    _ = try crypto { () throws(CryptoError) in
      let made = try authority.makeClient(topic: topic)
      let p12 = try made.makeP12(password: SimulatorIdentity.clientPassword)
      return (pem: made.combinedPEM, p12: p12)
    } then: { (files) throws(SimulatorError) in
      try write("client.pem", files.pem)
      try write("client.p12", files.p12)
    }
  }

  private func crypto<T>(
    _ make: () throws(CryptoError) -> T, then keep: (T) throws(SimulatorError) -> Void
  ) throws(SimulatorError) -> T {
    let made: T
    do throws(CryptoError) {
      made = try make()
    } catch {
      throw SimulatorError(.file, "keys in \(folder): \(error.detail)")
    }
    try keep(made)
    return made
  }

  private func read(_ name: String) throws(SimulatorError) -> [UInt8]? {
    try FileBytes.read("\(folder)/\(name)")
  }

  private func write(_ name: String, _ bytes: [UInt8]) throws(SimulatorError) {
    try FileBytes.write("\(folder)/\(name)", bytes)
  }
}
