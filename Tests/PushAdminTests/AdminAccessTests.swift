import Testing

@testable import PushAdmin

@Suite struct AdminAccessTests {
  private static let token = "0123456789abcdef"
  private static let right = "Bearer 0123456789abcdef"

  private func access(
    loopback: Bool = true, readOnly: Bool = false, metrics: Bool = false
  ) -> AdminAccess {
    var access = AdminAccess(
      token: Self.token, isReadOnly: readOnly, metricsNeedToken: metrics)
    access.isLoopback = loopback
    return access
  }

  private func request(_ change: (inout AdminRequest) -> Void = { _ in }) -> AdminRequest {
    var request = AdminRequest()
    request.host = "127.0.0.1:9464"
    request.contentType = "application/json"
    change(&request)
    return request
  }

  @Test func `probes and the page's files are for everybody, everywhere`() {
    for loopback in [true, false] {
      #expect(access(loopback: loopback).refusal(.open, request()) == nil)
    }
  }

  @Test func `reading needs the token on any address but loopback`() {
    #expect(access().refusal(.read, request()) == nil)
    #expect(access(loopback: false).refusal(.read, request())?.status == 401)
    let known = request { $0.authorization = Self.right }
    #expect(access(loopback: false).refusal(.read, known) == nil)
  }

  @Test func `changing needs the token everywhere`() {
    let known = request { $0.authorization = Self.right }
    for loopback in [true, false] {
      #expect(access(loopback: loopback).refusal(.change, request())?.status == 401)
      #expect(access(loopback: loopback).refusal(.change, known) == nil)
    }
  }

  @Test(
    arguments: [
      "Bearer 0123456789abcdeF", "Bearer 0123456789abcde", "Bearer 0123456789abcdef0", "Bearer ",
      "Bearer", "", "Basic 0123456789abcdef", "0123456789abcdef",
    ])
  func `a wrong token is refused, also where none is needed`(given: String) {
    let wrong = request { $0.authorization = given }
    #expect(access().refusal(.change, wrong)?.status == 401)
    #expect(access().refusal(.read, wrong)?.status == 401)
  }

  @Test func `no token is right when there is none`() {
    var access = AdminAccess(token: "")
    access.isLoopback = false
    #expect(access.refusal(.read, request { $0.authorization = "Bearer " })?.status == 401)
  }

  @Test func `metrics need the token only when that is asked for`() {
    #expect(access(loopback: false).refusal(.metrics, request()) == nil)
    #expect(access(metrics: true).refusal(.metrics, request())?.status == 401)
    let known = request { $0.authorization = Self.right }
    #expect(access(metrics: true).refusal(.metrics, known) == nil)
  }

  @Test(
    arguments: [
      ("same-origin", nil, true), ("none", nil, true), ("cross-site", nil, false),
      ("same-site", nil, false), (nil, "http://127.0.0.1:9464", true),
      (nil, "https://127.0.0.1:9464", true), (nil, "http://127.0.0.1:8080", false),
      (nil, "https://evil.example", false), (nil, "null", false),
      ("same-origin", "https://evil.example", false), (nil, nil, true),
    ] as [(String?, String?, Bool)])
  func `a change that another site asks for is refused`(
    site: String?, origin: String?, isAllowed: Bool
  ) {
    let asked = request {
      $0.authorization = Self.right
      $0.fetchSite = site
      $0.origin = origin
    }
    #expect((access().refusal(.change, asked) == nil) == isAllowed)
  }

  @Test(arguments: [nil, "text/plain", "application/x-www-form-urlencoded", "application/jsonx"])
  func `a change must be JSON, which no form can send`(type: String?) {
    let asked = request {
      $0.authorization = Self.right
      $0.contentType = type
    }
    #expect(access().refusal(.change, asked)?.status == 415)
  }

  @Test(
    arguments: [
      ("localhost", true), ("localhost:9464", true), ("127.0.0.1", true), ("127.8.0.1:1", true),
      ("[::1]:9464", true), ("evil.example:9464", false), ("127.0.0.1.evil.example", false),
      ("localhost.evil.example", false), ("127.evil", false), ("", false),
    ])
  func `a name that leads here by somebody's DNS is not answered without a token`(
    host: String, isAnswered: Bool
  ) {
    let asked = request { $0.host = host }
    #expect((access().refusal(.read, asked) == nil) == isAnswered)
    #expect((access().refusal(.metrics, asked) == nil) == isAnswered)
    let known = request {
      $0.host = host
      $0.authorization = Self.right
    }
    #expect(access().refusal(.read, known) == nil)
  }

  @Test func `read-only refuses every change`() {
    let known = request { $0.authorization = Self.right }
    #expect(access(readOnly: true).refusal(.change, known)?.status == 403)
    #expect(access(readOnly: true).refusal(.read, known) == nil)
  }
}
