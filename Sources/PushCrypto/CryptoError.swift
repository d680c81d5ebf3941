/// Why a key, a certificate or a token could not be made or read. Holds no key material.
package struct CryptoError: Error, Sendable, Equatable {
  package enum Code: String, Sendable {
    /// The bytes hold no key, or one that cannot be read.
    case notAKey
    /// The key is encrypted and no password was given.
    case encrypted
    case wrongPassword
    /// A sound key, but not of the kind needed (P-256 or RSA).
    case wrongKind
    case notACertificate
    /// OpenSSL refused to sign or to make something.
    case failed
  }
  package let code: Code
  /// One sentence for a person.
  package let detail: String

  package init(_ code: Code, _ detail: String) {
    self.code = code
    self.detail = detail
  }
}
