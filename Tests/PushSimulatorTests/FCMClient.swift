import HTTP2
import LoopIO
import PushCrypto
import SharedState
import TestSupport

@testable import PushSimulator

/// Speaks to the FCM port with an access token of its own.
struct FCMClient {
  private let pool: ConnectionPool
  private(set) var bearer = ""
  private let bench: SimulatorBench

  init(_ bench: SimulatorBench) async throws {
    self.bench = bench
    pool = try bench.pool(bench.ports.fcm)
    let answer = try await exchange(try assertion())
    bearer = JSONText(answer.body)?["access_token"] ?? ""
  }

  func send(_ body: String, path: String = "/v1/projects/allim-sim/messages:send") async throws
    -> HTTP2Response
  {
    try await send(body, path: path, bearer: bearer)
  }

  func send(
    _ body: String, path: String = "/v1/projects/allim-sim/messages:send", bearer: String?
  ) async throws -> HTTP2Response {
    var head = start(path)
    if let bearer { head.append("authorization", Array("Bearer \(bearer)".utf8), .secret) }
    head.append("content-type", "application/json")
    return try await answer(head, Array(body.utf8))
  }

  /// One assertion, as Google's libraries make it; a test changes what it is about.
  func assertion(
    key: [UInt8]? = nil, account: String = "push@allim-sim.iam.gserviceaccount.com",
    audience: String? = nil, scope: String = "https://www.googleapis.com/auth/firebase.messaging",
    age: Int64 = 0, life: Int64 = 3_600
  ) throws -> String {
    let key = try PrivateKey(pem: key ?? bench.file("service-account-key.pem"))
    let issued = SystemClock().wall() / 1_000 - age
    let audience = audience ?? "https://localhost:\(bench.ports.fcm)/token"
    let claims =
      #"{"iss":"\#(account)","scope":"\#(scope)","aud":"\#(audience)","#
      + #""iat":\#(issued),"exp":\#(issued + life)}"#
    let token = try JWT.rs256(
      header: Array(#"{"alg":"RS256","typ":"JWT"}"#.utf8), claims: Array(claims.utf8), key: key)
    return String(decoding: token, as: UTF8.self)
  }

  func exchange(
    _ assertion: String,
    grant: String = "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer"
  ) async throws -> HTTP2Response {
    var head = start("/token")
    head.append("content-type", "application/x-www-form-urlencoded")
    return try await answer(head, Array("grant_type=\(grant)&assertion=\(assertion)".utf8))
  }

  private func start(_ path: String) -> HeaderBlock {
    var head = HeaderBlock()
    head.append(":method", "POST")
    head.append(":scheme", "https")
    head.append(":authority", "localhost")
    head.append(":path", Array(path.utf8))
    return head
  }

  private func answer(_ head: HeaderBlock, _ body: [UInt8]) async throws -> HTTP2Response {
    switch await pool.send(head, body: body) {
    case .answered(let response): return response
    case .neverSent(let trouble), .unknown(let trouble): throw trouble
    }
  }

  /// The code of the FcmError among the details.
  static func code(_ body: JSONText) -> String? {
    (0..<4).lazy.compactMap { body["error.details.\($0).errorCode"] }.first
  }
}
