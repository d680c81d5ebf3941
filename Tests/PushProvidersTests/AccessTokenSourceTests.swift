import LoopIO
import PushCrypto
import SharedState
import TestSupport
import Testing

@testable import PushProviders

/// A service account whose token endpoint is the server's.
func account(of server: StubServer, key: PrivateKey) throws -> ServiceAccount {
  try ServiceAccount(
    json: serviceAccountJSON(
      key: text(key.pem), tokenURI: "https://localhost:\(server.port)/token"), file: "account.json")
}

func serviceAccountJSON(
  key: String, tokenURI: String = "https://oauth2.example/token"
) -> [UInt8] {
  let escaped = key.replacing("\n", with: "\\n")
  return bytes(
    #"{"type":"service_account","project_id":"demo","private_key_id":"kid-1","#
      + #""private_key":"\#(escaped)","client_email":"push@demo.iam.gserviceaccount.com","#
      + #""token_uri":"\#(tokenURI)"}"#)
}

@Suite struct AccessTokenSourceTests {
  private static let key = try? PrivateKey.makeRSA2048()

  /// A server that grants tokens, and a source that asks it.
  private func withSource(
    timeout: Duration = .seconds(10), caFile: String? = nil,
    _ body:
      @escaping @Sendable (Loop, StubServer, AccessTokenSource, TurnedClock) async throws -> Void
  ) async throws {
    let key = try #require(Self.key)
    try await withServer { loop, server in
      let clock = TurnedClock()
      let exchange = TokenExchange(
        account: try account(of: server, key: key), caFile: caFile ?? server.caFile,
        timeout: timeout)
      server.reply = { _ in
        .init(
          200,
          #"{"access_token":"ya29.\#(server.requests.count)","expires_in":3599,"token_type":"Bearer"}"#
        )
      }
      try await body(loop, server, AccessTokenSource(exchange: exchange, clock: clock), clock)
    }
  }

  @Test func `a hundred who ask at once make one exchange, signed as Google wants it`() async throws
  {
    try await withSource { loop, server, source, _ in
      let answers = await withTaskGroup(of: AccessTokenSource.Answer.self) { group in
        for _ in 0..<100 { group.addTask { await source.token() } }
        return await group.reduce(into: []) { $0.append($1) }
      }
      #expect(answers.count == 100)
      for answer in answers {
        #expect(text(try answer.get().authorization) == "Bearer ya29.1")
      }
      let request = try #require(server.requests.first)
      #expect(server.requests.count == 1)
      #expect(request.path == "/token")
      #expect(request.fields["content-type"] == "application/x-www-form-urlencoded")
      let form = "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer&assertion="
      #expect(text(request.body).hasPrefix(form))
      let jwt = try #require(JWT(compact: Array(request.body.dropFirst(form.utf8.count))))
      #expect(text(jwt.header) == #"{"alg":"RS256","typ":"JWT","kid":"kid-1"}"#)
      #expect(
        text(jwt.claims) == #"{"iss":"push@demo.iam.gserviceaccount.com","#
          + #""scope":"https://www.googleapis.com/auth/firebase.messaging","#
          + #""aud":"https://localhost:\#(server.port)/token","iat":1699999990,"exp":1700003590}"#)
      let key = try #require(Self.key).publicKey
      #expect(key.verifyRS256(jwt.signature, of: jwt.signingInput))
    }
  }

  @Test func `near its end the old token is used while a new one is fetched`() async throws {
    try await withSource { loop, server, source, clock in
      let first = try await source.token().get()
      clock.pass(minutes: 56)
      #expect(try await source.token().get() == first)
      _ = await eventually(on: loop) { await source.token() != .success(first) }
      #expect(try await source.token().get().serial == 2)
      #expect(server.requests.count == 2)
    }
  }

  @Test func `an account that is refused is a fault of the configuration that names the clock`()
    async throws
  {
    try await withSource { loop, server, source, clock in
      server.reply = { _ in
        .init(400, #"{"error":"invalid_grant","error_description":"Invalid JWT Signature."}"#)
      }
      guard case .failure(let trouble) = await source.token() else {
        Issue.record("granted")
        return
      }
      #expect(trouble.isConfiguration && trouble.status == 400)
      #expect(trouble.reason == "invalid_grant")
      #expect(trouble.detail.contains("Invalid JWT Signature."))
      #expect(trouble.detail.contains("clock"))
      // Asked again at once: the same answer, and no request.
      #expect(await source.token() == .failure(trouble))
      #expect(server.requests.count == 1)
      server.reply = { _ in .init(200, #"{"access_token":"a","expires_in":3599}"#) }
      clock.pass(minutes: 2)
      let token = try await source.token().get()
      #expect(token.serial == 1)
    }
  }

  @Test(arguments: [429, 500, 503] as [Int64])
  func `an outage of the endpoint is no fault of the account`(status: Int64) async throws {
    try await withSource { loop, server, source, _ in
      server.reply = { _ in .init(status, "<html>", fields: [("retry-after", "90")]) }
      guard case .failure(let trouble) = await source.token() else {
        Issue.record("granted")
        return
      }
      #expect(!trouble.isConfiguration && trouble.status == Int(status))
      #expect(trouble.retryAfter == .seconds(90))
    }
  }

  @Test(arguments: ["", "{}", "<html>", #"{"access_token":"a b"}"#, #"{"access_token":7}"#])
  func `an answer without a usable token is none`(body: String) async throws {
    try await withSource { loop, server, source, _ in
      server.reply = { _ in .init(200, body) }
      guard case .failure(let trouble) = await source.token() else {
        Issue.record("granted")
        return
      }
      #expect(!trouble.isConfiguration)
    }
  }

  @Test func `an endpoint that does not answer ends at the timeout`() async throws {
    try await withSource(timeout: .milliseconds(300)) { loop, server, source, _ in
      server.reply = { _ in nil }
      guard case .failure(let trouble) = await source.token() else {
        Issue.record("granted")
        return
      }
      #expect(!trouble.isConfiguration && trouble.status == 0)
      #expect(!trouble.detail.isEmpty)
    }
  }

  @Test func `a server that nobody vouches for is not told the assertion`() async throws {
    let folder = TemporaryFolder()
    write(try CertificateAuthority().certificatePEM, to: folder.file("other.pem"))
    try await withSource(caFile: folder.file("other.pem")) { loop, server, source, _ in
      guard case .failure(let trouble) = await source.token() else {
        Issue.record("granted")
        return
      }
      #expect(!trouble.isConfiguration)
      #expect(server.requests.isEmpty)
    }
  }

  @Test func `an answer that never ends is cut off`() async throws {
    try await withSource { loop, server, source, _ in
      server.reply = { _ in .init(200, String(repeating: " ", count: 100_000)) }
      guard case .failure = await source.token() else {
        Issue.record("granted")
        return
      }
    }
  }
}
