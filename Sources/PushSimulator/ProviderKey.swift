import PushCodec
import PushCrypto

/// The one APNs key this simulator knows, and how it verifies provider tokens by it
/// (protocol/apns.md 5.1).
struct ProviderKey {
  static let keyID = "SIMKEY0001"
  static let teamID = "SIMTEAM001"

  let publicKey: PublicKey

  struct Refusal: Error {
    let reason: APNsReason
  }

  /// `iat` of a token whose form, signature, `kid` and `iss` are right; its age is not looked at.
  func verify(_ token: [UInt8]) -> Result<Int64, Refusal> {
    guard let issuedAt = issuedAt(token) else {
      return .failure(Refusal(reason: .invalidProviderToken))
    }
    return .success(issuedAt)
  }

  private func issuedAt(_ token: [UInt8]) -> Int64? {
    var scanner = JSONScanner()
    guard let jwt = JWT(compact: token),
      let header = JSONText(jwt.header, scanner: &scanner),
      let algorithm = header.member("alg", of: 0), header.isString(algorithm, "ES256"),
      let keyID = header.member("kid", of: 0), header.string(keyID) == Self.keyID,
      let claims = JSONText(jwt.claims, scanner: &scanner),
      let issuer = claims.member("iss", of: 0), claims.string(issuer) == Self.teamID,
      let issuedAt = claims.member("iat", of: 0), let moment = seconds(claims, issuedAt),
      isSigned(jwt)
    else { return nil }
    return moment
  }

  /// An integer; servers also take it as a string, which one library sends.
  private func seconds(_ claims: JSONText, _ at: Int) -> Int64? {
    claims.kind(at) == .string ? Int64(claims.string(at)) : claims.integer(at)
  }

  /// RFC 7518 3.4 wants 64 raw bytes; APNs in fact takes DER too, which one library sends.
  private func isSigned(_ jwt: JWT) -> Bool {
    let raw = jwt.signature.count == 64 ? jwt.signature : DERSignature.raw(jwt.signature)
    guard let raw else { return false }
    return publicKey.verifyES256(raw, of: jwt.signingInput)
  }
}

/// An ECDSA signature as `SEQUENCE { INTEGER r, INTEGER s }` (RFC 3279 2.2.3), for P-256.
enum DERSignature {
  /// R and S, 32 bytes each; nil when it is not one.
  static func raw(_ der: [UInt8]) -> [UInt8]? {
    guard der.count >= 8, der[0] == 0x30, Int(der[1]) == der.count - 2 else { return nil }
    var rest = der.dropFirst(2)
    guard let r = integer(&rest), let s = integer(&rest), rest.isEmpty else { return nil }
    return r + s
  }

  private static func integer(_ rest: inout ArraySlice<UInt8>) -> [UInt8]? {
    guard rest.count >= 2, rest.removeFirst() == 0x02 else { return nil }
    let count = Int(rest.removeFirst())
    guard count <= rest.count else { return nil }
    let digits = rest.prefix(count).drop { $0 == 0 }
    rest = rest.dropFirst(count)
    guard digits.count <= 32 else { return nil }
    return Array(repeating: 0, count: 32 - digits.count) + digits
  }
}
