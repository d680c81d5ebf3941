internal import COpenSSL

/// The way from a certificate towards a root that the peer knows.
package enum CertificateChain {
  /// As TLS wants it: the leaf, then of `others` each one's issuer. Roots stay out, since who checks
  /// has them (RFC 8446 4.4.2), and so does what is not on the way.
  package static func ordered(
    from leaf: Certificate, among others: [Certificate]
  ) -> [Certificate] {
    var chain = [leaf]
    var rest = others.filter { !$0.isSelfIssued }
    while let last = chain.last, let next = rest.firstIndex(where: { $0.issued(last) }) {
      chain.append(rest.remove(at: next))
    }
    return chain
  }
}

extension Certificate {
  var isSelfIssued: Bool { issued(self) }

  /// By names and key identifiers; the signature is for the peer to check.
  func issued(_ other: Certificate) -> Bool {
    unsafe X509_check_issued(raw, other.raw) == X509_V_OK
  }

  /// Whether it is the one of this key.
  package func belongs(to key: PrivateKey) -> Bool {
    defer { ErrorQueue.clear() }
    return unsafe X509_check_private_key(raw, key.raw) == 1
  }
}
