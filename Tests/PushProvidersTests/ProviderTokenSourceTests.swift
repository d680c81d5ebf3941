import PushCrypto
import PushModel
import PushTelemetry
import Testing

@testable import PushProviders

@Suite struct ProviderTokenSourceTests {
  private let clock = TurnedClock()
  private let key: PrivateKey
  private let source: ProviderTokenSource

  init() throws {
    key = try PrivateKey.makeP256()
    source = try ProviderTokenSource(
      key: key, keyID: "ABC123DEFG", teamID: "DEF123GHIJ", clock: clock)
  }

  @Test func `the token is as Apple wants it`() throws {
    let value = text(source.token().authorization)
    #expect(value.hasPrefix("bearer "))
    let jwt = try #require(JWT(compact: bytes(String(value.dropFirst(7)))))
    #expect(text(jwt.header) == #"{"alg":"ES256","kid":"ABC123DEFG"}"#)
    #expect(text(jwt.claims) == #"{"iss":"DEF123GHIJ","iat":1699999990}"#)
    #expect(jwt.signature.count == 64)
    #expect(key.publicKey.verifyES256(jwt.signature, of: jwt.signingInput))
    #expect(!value.contains("=") && !value.contains("+") && !value.contains("/"))
  }

  @Test func `one token serves all until it is 40 minutes old, none after 50`() {
    let first = source.token()
    clock.pass(minutes: 39.9)
    #expect(source.token() == first)
    clock.pass(minutes: 10.2)
    let second = source.token()
    #expect(second.serial == 2)
    #expect(second.authorization != first.authorization)
    #expect(source.token() == second)
  }

  @Test func `a refusal never makes more than one token in 20 minutes`() {
    let first = source.token()
    #expect(!source.refused(first))
    #expect(source.token() == first)
    clock.pass(minutes: 20)
    #expect(source.refused(first))
    let second = source.token()
    #expect(second.serial == 2)
    // Others who had the old one find the new.
    #expect(source.refused(first))
    #expect(source.token() == second)
    #expect(!source.refused(second))
  }

  @Test func `a token from the future is stale, but not replaced at each request`() {
    let first = source.token()
    clock.setWall(by: -120)
    for _ in 0..<1_000 { #expect(source.token() == first) }
    clock.pass(minutes: 21)
    #expect(source.token().serial == 2)
    for _ in 0..<1_000 { #expect(source.token().serial == 2) }
  }

  @Test func `a token of a clock that was set right is replaced early, and only then`() {
    let first = source.token()
    clock.pass(minutes: 2)
    #expect(!source.refused(first, isExpired: false))
    clock.setWall(by: -65)
    #expect(source.refused(first, isExpired: false))
    let second = source.token()
    #expect(second.serial == 2)
    // Not at every refusal, and not for as long as nobody sets the clock again.
    for _ in 0..<100 { #expect(!source.refused(second, isExpired: false)) }
    clock.pass(minutes: 5)
    #expect(!source.refused(second, isExpired: true))
    clock.setWall(by: 65)
    #expect(source.refused(second, isExpired: true))
  }

  @Test func `BR-24 two thousand tokens verify with 64 raw bytes`() throws {
    for _ in 0..<2_000 {
      clock.pass(minutes: 51)
      let value = text(source.token().authorization)
      let jwt = try #require(JWT(compact: bytes(String(value.dropFirst(7)))))
      #expect(jwt.signature.count == 64)
      #expect(key.publicKey.verifyES256(jwt.signature, of: jwt.signingInput))
    }
    #expect(source.token().serial == 2_001)
  }

  @Test func `a clock set forward makes one new token`() {
    clock.pass(minutes: 21)
    clock.setWall(by: 120)
    for _ in 0..<1_000 { #expect(source.token().serial == 2) }
  }

  @Test func `many who meet an old token make one new one`() async {
    clock.pass(minutes: 51)
    let source = source
    let serials = await withTaskGroup(of: Int.self) { group in
      for _ in 0..<64 { group.addTask { source.token().serial } }
      return await group.reduce(into: Set<Int>()) { $0.insert($1) }
    }
    #expect(serials == [2])
  }

  @Test func `tokens are counted`() throws {
    let metrics = WorkerMetrics()
    let counter = metrics.pushes(app: "chat", provider: .apns).providerTokensMade
    let counted = try ProviderTokenSource(
      key: key, keyID: "A", teamID: "B", clock: clock, made: counter)
    clock.pass(minutes: 51)
    _ = counted.token()
    #expect(counter.value == 2)
  }

  @Test func `ids that could break the JSON and keys that cannot sign are refused at start`() throws
  {
    #expect(throws: CredentialError.self) {
      try ProviderTokenSource(key: key, keyID: "A\"", teamID: "B")
    }
    #expect(throws: CredentialError.self) {
      try ProviderTokenSource(key: key, keyID: "A", teamID: "")
    }
    let rsa = try PrivateKey.makeRSA2048()
    #expect(throws: CredentialError.self) {
      try ProviderTokenSource(key: rsa, keyID: "A", teamID: "B")
    }
  }
}
