/// A signed token in compact form: three parts of base64url with dots between (RFC 7515 7.1).
package struct JWT: Sendable, Equatable {
  /// The JSON of the header.
  package var header: [UInt8]
  /// The JSON of the claims.
  package var claims: [UInt8]
  package var signature: [UInt8]
  /// What the signature is over: the first two parts as they came.
  package var signingInput: [UInt8]

  /// Splits a token; nil unless it has three parts of base64url.
  package init?(compact: [UInt8]) {
    let parts = compact.split(separator: Self.dot, omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64.decodeURL(Array(parts[0])),
      let claims = Base64.decodeURL(Array(parts[1])),
      let signature = Base64.decodeURL(Array(parts[2]))
    else { return nil }
    self.header = header
    self.claims = claims
    self.signature = signature
    signingInput = Array(compact[..<parts[1].endIndex])
  }

  /// A new token signed by ES256.
  package static func es256(
    header: [UInt8], claims: [UInt8], key: PrivateKey
  ) throws(CryptoError) -> [UInt8] {
    let input = signingInput(header, claims)
    return input + [dot] + Base64.encodeURL(try key.signES256(input))
  }

  /// A new token signed by RS256.
  package static func rs256(
    header: [UInt8], claims: [UInt8], key: PrivateKey
  ) throws(CryptoError) -> [UInt8] {
    let input = signingInput(header, claims)
    return input + [dot] + Base64.encodeURL(try key.signRS256(input))
  }

  private static let dot: UInt8 = 0x2E

  private static func signingInput(_ header: [UInt8], _ claims: [UInt8]) -> [UInt8] {
    Base64.encodeURL(header) + [dot] + Base64.encodeURL(claims)
  }
}
