internal import COpenSSL

/// Makes certificates that are trusted by nobody but those who are given its own: for the
/// simulator and for tests.
package final class CertificateAuthority: Sendable {
  package let certificate: Certificate
  /// P-256. Handed out so that the authority can be kept in a file.
  package let key: PrivateKey

  /// A new authority, valid for ten years.
  package init(name: String = "Allim test authority") throws(CryptoError) {
    key = try PrivateKey.makeP256()
    var draft = CertificateDraft(commonName: name)
    draft.validity = .init(fromDays: -1, toDays: 3_650)
    draft.extensions = [
      (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
      (NID_subject_key_identifier, "hash"),
    ]
    certificate = try draft.signed(subjectKey: key, issuer: nil, issuerKey: key)
  }

  private init(_ certificate: Certificate, _ key: PrivateKey) {
    self.certificate = certificate
    self.key = key
  }

  /// One that this one vouches for: Apple's certificates come from such.
  package func makeIntermediate(name: String) throws(CryptoError) -> CertificateAuthority {
    var draft = CertificateDraft(commonName: name)
    draft.validity = .usual
    draft.extensions = [
      (NID_basic_constraints, "critical,CA:TRUE"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
      (NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid"),
    ]
    let own = try PrivateKey.makeP256()
    return CertificateAuthority(
      try draft.signed(subjectKey: own, issuer: certificate, issuerKey: key), own)
  }

  /// One that was kept.
  package init(certificatePEM: [UInt8], keyPEM: [UInt8]) throws(CryptoError) {
    certificate = try Certificate(pem: certificatePEM)
    key = try PrivateKey(pem: keyPEM)
  }

  /// The certificate that clients are told to trust.
  package var certificatePEM: [UInt8] { certificate.pem }

  /// When a certificate is good, in days from now.
  package struct Validity: Sendable {
    package var fromDays: Int
    package var toDays: Int

    package init(fromDays: Int, toDays: Int) {
      self.fromDays = fromDays
      self.toDays = toDays
    }

    /// Two years: Apple's clients accept no more than 825 days.
    package static let usual = Validity(fromDays: -1, toDays: 730)
    package static let expired = Validity(fromDays: -30, toDays: -1)
    package static let notYet = Validity(fromDays: 1, toDays: 30)
  }

  /// The names of this machine, which every server certificate has unless told otherwise.
  package static let localNames = ["localhost", "127.0.0.1", "::1"]

  /// A certificate for a server of these host names and addresses.
  package func makeServer(
    names: [String] = localNames, validity: Validity = .usual
  ) throws(CryptoError) -> IssuedIdentity {
    var draft = CertificateDraft(commonName: names.first ?? "nobody")
    draft.extensions = leaf(usage: "serverAuth")
    let list = names.map { (Self.isAddress($0) ? "IP:" : "DNS:") + $0 }.joined(separator: ",")
    if !names.isEmpty { draft.extensions.append((NID_subject_alt_name, list)) }
    return try issue(draft, validity)
  }

  /// A client certificate whose subject's UID is the push topic, as in Apple's (apns.md 6), and
  /// which lists these topics in Apple's extension (apns.md 4).
  package func makeClient(
    topic: String, listing topics: [String] = [], validity: Validity = .usual
  ) throws(CryptoError) -> IssuedIdentity {
    var draft = CertificateDraft(commonName: "Apple Push Services: \(topic)")
    draft.userID = topic
    if !topics.isEmpty {
      draft.foreignExtensions = [("1.2.840.113635.100.6.3.6", DERTexts.sequence(of: topics))]
    }
    draft.extensions = leaf(usage: "clientAuth")
    return try issue(draft, validity)
  }

  private func issue(
    _ draft: CertificateDraft, _ validity: Validity
  ) throws(CryptoError) -> IssuedIdentity {
    var draft = draft
    draft.validity = validity
    let own = try PrivateKey.makeP256()
    let made = try draft.signed(subjectKey: own, issuer: certificate, issuerKey: key)
    return IssuedIdentity(certificate: made, key: own, authority: certificate)
  }

  private func leaf(usage: String) -> [(Int32, String)] {
    [
      (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
      (NID_ext_key_usage, usage), (NID_subject_key_identifier, "hash"),
      (NID_authority_key_identifier, "keyid"),
    ]
  }

  private static func isAddress(_ name: String) -> Bool {
    name.contains(":") || name.utf8.allSatisfy { $0 == 0x2E || (0x30...0x39).contains($0) }
  }
}
