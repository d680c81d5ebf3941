internal import PushCrypto
package import PushSettings

/// Exchanges a signed assertion of a service account for an access token (fcm.md 4). Blocks.
package struct TokenExchange: Sendable {
  let account: ServiceAccount
  /// Where to ask: the account's `token_uri`, or the configuration's instead.
  let url: String
  let caFile: String?
  let proxy: Settings.Proxy
  let timeout: Duration
  let clockWatch: ClockWatch

  package init(
    account: ServiceAccount, url: String? = nil, caFile: String? = nil,
    proxy: Settings.Proxy = .init(),
    timeout: Duration = .seconds(15), clockWatch: ClockWatch = ClockWatch()
  ) {
    self.account = account
    self.url = url ?? account.tokenURI
    self.caFile = caFile
    self.proxy = proxy
    self.timeout = timeout
    self.clockWatch = clockWatch
  }

  /// Stands for an error code when our own key does not sign.
  static let keyReason = "key"

  package struct Grant: Sendable, Equatable {
    var accessToken: [UInt8]
    /// Seconds.
    var lifetime: Int64
  }

  /// - Parameter wall: UNIX milliseconds.
  func perform(wall: Int64) -> Result<Grant, AccessTokenTrouble> {
    let assertion: [UInt8]
    do throws(CryptoError) {
      assertion = try Assertion.make(account, wall: wall)
    } catch {
      return .failure(.init(isConfiguration: true, reason: Self.keyReason, detail: error.detail))
    }
    let call = HTTPSCall(
      url: url, form: Assertion.form(assertion), caFile: caFile, proxy: proxy, timeout: timeout)
    do throws(HTTPSCall.Failure) {
      return read(try call.perform(), wall: wall)
    } catch {
      return .failure(.init(isConfiguration: false, detail: error.detail))
    }
  }

  private func read(
    _ reply: HTTPSCall.Reply, wall: Int64
  ) -> Result<Grant, AccessTokenTrouble> {
    let body = OAuthBody(reply.body)
    switch OAuthVerdicts.judge(status: reply.status) {
    case .granted:
      guard !body.accessToken.isEmpty else {
        return .failure(
          .init(isConfiguration: false, status: reply.status, detail: "an answer without a token"))
      }
      return .success(Grant(accessToken: body.accessToken, lifetime: body.lifetime ?? 3_600))
    case .retry: return .failure(trouble(reply, body, wall, isConfiguration: false))
    case .pauseCredential: return .failure(trouble(reply, body, wall, isConfiguration: true))
    }
  }

  private func trouble(
    _ reply: HTTPSCall.Reply, _ body: OAuthBody, _ wall: Int64, isConfiguration: Bool
  ) -> AccessTokenTrouble {
    // The commonest cause besides the key, and the one that looks like it.
    let words =
      body.error == "invalid_grant"
      ? clockWatch.judge(reply.date.isEmpty ? nil : reply.date, wall: wall) : ""
    let hint = words.isEmpty ? "" : " (\(words))"
    return AccessTokenTrouble(
      isConfiguration: isConfiguration, status: reply.status, reason: body.error,
      detail: String(body.description.prefix(200)) + hint,
      retryAfter: RetryAfter.read(reply.retryAfter, now: wall))
  }
}

/// The signed claim of a service account to be itself.
enum Assertion {
  static let scope = "https://www.googleapis.com/auth/firebase.messaging"

  static func make(_ account: ServiceAccount, wall: Int64) throws(CryptoError) -> [UInt8] {
    // A few seconds back, for clocks that differ a little.
    let issued = wall / 1_000 - 10
    return try JWT.rs256(
      header: header(account), claims: claims(account, issued: issued), key: account.key)
  }

  static func header(_ account: ServiceAccount) -> [UInt8] {
    Array(#"{"alg":"RS256","typ":"JWT","kid":"\#(account.keyID)"}"#.utf8)
  }

  static func claims(_ account: ServiceAccount, issued: Int64) -> [UInt8] {
    Array(
      (#"{"iss":"\#(account.clientEmail)","scope":"\#(scope)","aud":"\#(account.tokenURI)","#
        + #""iat":\#(issued),"exp":\#(issued + 3_600)}"#).utf8)
  }

  static func form(_ assertion: [UInt8]) -> [UInt8] {
    Array("grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion=".utf8)
      + assertion
  }
}
