import PushCodec
import PushCrypto

/// Google's OAuth2 token endpoint for service accounts: RFC 7523 with RFC 6749's errors
/// (protocol/fcm.md 4).
struct TokenEndpoint {
  /// An error of RFC 6749 5.2.
  struct Refusal: Error {
    var status = 400
    let error: String
    let description: String
  }

  let account: ServiceAccount
  /// UNIX seconds.
  let now: Int64

  private static let grantType = "urn:ietf:params:oauth:grant-type:jwt-bearer"
  private static let scopes = [
    "https://www.googleapis.com/auth/firebase.messaging",
    "https://www.googleapis.com/auth/cloud-platform",
  ]

  /// Returns when the form body holds a good assertion.
  func check(form: [UInt8]) throws(Refusal) {
    guard let fields = FormFields(form), let grant = fields["grant_type"] else {
      throw missing("grant_type")
    }
    guard grant == Self.grantType else {
      throw Refusal(
        error: "unsupported_grant_type", description: "Invalid grant_type: \(grant.prefix(80))")
    }
    guard let assertion = fields["assertion"], !assertion.isEmpty else {
      throw missing("assertion")
    }
    try check(assertion: Array(assertion.utf8))
  }

  private func check(assertion: [UInt8]) throws(Refusal) {
    var scanner = JSONScanner()
    guard let jwt = JWT(compact: assertion), let header = JSONText(jwt.header, scanner: &scanner),
      let claims = JSONText(jwt.claims, scanner: &scanner),
      let algorithm = header.given("alg", of: 0), header.isString(algorithm, "RS256")
    else { throw invalidJWT("Bad token format.") }
    guard let issuer = claims.given("iss", of: 0), claims.string(issuer) == ServiceAccount.email
    else { throw invalidGrant("Invalid grant: account not found") }
    if let keyID = header.given("kid", of: 0), header.string(keyID) != ServiceAccount.keyID {
      throw invalidJWT("No matching key found.")
    }
    guard account.key.verifyRS256(jwt.signature, of: jwt.signingInput) else {
      throw invalidGrant("Invalid JWT Signature.")
    }
    try checkTimes(claims)
    guard let audience = claims.given("aud", of: 0), claims.string(audience) == account.tokenURI
    else { throw invalidJWT("Failed audience check. The right audience is \(account.tokenURI)") }
    let wanted = claims.given("scope", of: 0).map { claims.string($0) } ?? ""
    guard wanted.split(separator: " ").contains(where: { Self.scopes.contains(String($0)) }) else {
      throw Refusal(
        error: "invalid_scope", description: "Invalid OAuth scope or ID token audience provided.")
    }
  }

  /// At most an hour, begun, not over; Google lets some minutes of clock difference pass.
  private func checkTimes(_ claims: JSONText) throws(Refusal) {
    guard let issuedAt = claims.given("iat", of: 0).flatMap({ claims.integer($0) }),
      let end = claims.given("exp", of: 0).flatMap({ claims.integer($0) }),
      end - issuedAt <= 3_600, end > now, issuedAt <= now + 300
    else {
      throw invalidJWT(
        "Token must be a short-lived token (60 minutes) and in a reasonable timeframe."
          + " Check your iat and exp values in the JWT claim.")
    }
  }

  private func missing(_ name: String) -> Refusal {
    Refusal(error: "invalid_request", description: "Required parameter is missing: \(name)")
  }

  private func invalidGrant(_ description: String) -> Refusal {
    Refusal(error: "invalid_grant", description: description)
  }

  private func invalidJWT(_ description: String) -> Refusal {
    invalidGrant("Invalid JWT: \(description)")
  }

  /// `{"access_token":…,"expires_in":…,"token_type":"Bearer"}`.
  static func reply(token: [UInt8], life: Int64) -> Reply {
    var out = JSONLine()
    out.open()
    out.add("access_token", token)
    out.add("expires_in", life)
    out.add("token_type", "Bearer")
    out.close()
    return Reply(status: 200, body: out.bytes)
  }
}

extension TokenEndpoint.Refusal {
  var reply: Reply {
    var out = JSONLine()
    out.open()
    out.add("error", error)
    out.add("error_description", description)
    out.close()
    return Reply(status: status, reason: error, body: out.bytes)
  }
}

/// The fields of `application/x-www-form-urlencoded`.
struct FormFields {
  private var values: [String: String] = [:]

  /// Nil when an escape is broken or a field comes twice.
  init?(_ body: [UInt8]) {
    for pair in body.split(separator: UInt8(ascii: "&")) {
      let name = pair.prefix { $0 != UInt8(ascii: "=") }
      guard let key = Self.decode(name), let value = Self.decode(pair.dropFirst(name.count + 1)),
        values.updateValue(value, forKey: key) == nil
      else { return nil }
    }
  }

  subscript(_ name: String) -> String? { values[name] }

  private static func decode(_ text: ArraySlice<UInt8>) -> String? {
    var out: [UInt8] = []
    var rest = text
    while let byte = rest.popFirst() {
      switch byte {
      case UInt8(ascii: "+"): out.append(0x20)
      case UInt8(ascii: "%"):
        guard rest.count >= 2,
          let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
        else { return nil }
        out.append(value)
        rest = rest.dropFirst(2)
      default: out.append(byte)
      }
    }
    return String(decoding: out, as: UTF8.self)
  }
}
