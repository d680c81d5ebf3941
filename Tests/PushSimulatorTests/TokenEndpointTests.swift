import HTTP2
import LoopIO
import PushCrypto
import Testing

@testable import PushSimulator

@Suite struct TokenEndpointTests {
  @Test func `a good assertion buys a token for its time`() async throws {
    try await SimulatorBench.run {
      $0.tokenTTL = 90
    } _: { bench in
      let client = try await FCMClient(bench)
      let answer = try await client.exchange(try client.assertion())
      let body = try #require(JSONText(answer.body))
      #expect(answer.status == 200)
      #expect(body["access_token"]?.hasPrefix("ya29.") == true)
      #expect(body["expires_in"] == "90")
      #expect(body["token_type"] == "Bearer")
    }
  }

  @Test func `what is wrong with an assertion is said in the words of RFC 6749`() async throws {
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      let other = try PrivateKey.makeRSA2048().pem
      let cases: [(String, String, String)] = [
        (try client.assertion(key: other), "invalid_grant", "Invalid JWT Signature."),
        (try client.assertion(account: "a@b"), "invalid_grant", "account not found"),
        (try client.assertion(age: 7_200), "invalid_grant", "short-lived token (60 minutes)"),
        (try client.assertion(age: -900), "invalid_grant", "short-lived token (60 minutes)"),
        (try client.assertion(life: 3_601), "invalid_grant", "short-lived token (60 minutes)"),
        (try client.assertion(audience: "https://x/token"), "invalid_grant", "audience"),
        (try client.assertion(scope: "https://x"), "invalid_scope", ""),
        ("abc", "invalid_grant", "Invalid JWT"),
        ("", "invalid_request", "assertion"),
      ]
      for (assertion, error, description) in cases {
        let answer = try await client.exchange(assertion)
        let body = try #require(JSONText(answer.body))
        #expect(answer.status == 400)
        #expect(body["error"] == error)
        let text = body["error_description"] ?? ""
        #expect(description.isEmpty || text.contains(description))
      }
      let grant = try await client.exchange(try client.assertion(), grant: "password")
      #expect(JSONText(grant.body)?["error"] == "unsupported_grant_type")
    }
  }
}
