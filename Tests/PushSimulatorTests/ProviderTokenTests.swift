import HTTP2
import LoopIO
import PushCrypto
import Testing

@testable import PushSimulator

@Suite struct ProviderTokenTests {
  @Test func `a token of another key, key id or team is invalid`() async throws {
    try await SimulatorBench.run { bench in
      let other = try PrivateKey.makeP256().pem
      let tokens = [
        try bench.jwt(key: other), try bench.jwt(keyID: "OTHERKEY01"),
        try bench.jwt(team: "OTHERTEAM1"), try bench.jwt(age: -600),
      ]
      for token in tokens {
        var push = Push()
        push.bearer = token
        let answer = try await bench.send(push, through: try bench.pool(bench.ports.apns))
        #expect(answer.status == 403)
        #expect(answer.reason == "InvalidProviderToken")
      }
    }
  }

  @Test func `an expired token wedges its connection, a new connection is cured`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt(age: 3_700)
      #expect(try await bench.send(push, through: pool).reason == "ExpiredProviderToken")
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).reason == "ExpiredProviderToken")
      let fresh = try bench.pool(bench.ports.apns)
      #expect(try await bench.send(push, through: fresh).status == 200)
    }
  }

  @Test func `a token grows old while its connection lives`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).status == 200)
      await bench.simulator.setClockOffset(3_601 + 60)
      #expect(try await bench.send(push, through: pool).reason == "ExpiredProviderToken")
    }
  }

  @Test func `a second new token within twenty minutes is too many`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      let first = try bench.jwt(age: 30)
      push.bearer = first
      #expect(try await bench.send(push, through: pool).status == 200)
      push.bearer = try bench.jwt()
      let answer = try await bench.send(push, through: pool)
      #expect(answer.status == 429)
      #expect(answer.reason == "TooManyProviderTokenUpdates")
      push.bearer = first
      #expect(try await bench.send(push, through: pool).status == 200)
      await bench.simulator.setClockOffset(21 * 60)
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).status == 200)
    }
  }

  @Test func `a client certificate needs no token and has its own topic`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns, identity: bench.clientIdentity)
      var push = Push()
      push.set("apns-topic", nil)
      #expect(try await bench.send(push, through: pool).status == 200)
      push.set("apns-topic", "com.other")
      #expect(try await bench.send(push, through: pool).reason == "TopicDisallowed")
    }
  }

  @Test func `a signature in DER verifies as well as a raw one`() throws {
    let key = try PrivateKey.makeP256()
    let message = Array("header.claims".utf8)
    for _ in 0..<200 {
      let raw = try key.signES256(message)
      #expect(DERSignature.raw(Self.der(raw)) == raw)
    }
    #expect(DERSignature.raw([0x30, 0x02, 0x02, 0x00]) == nil)
    #expect(DERSignature.raw([]) == nil)
  }

  private static func der(_ raw: [UInt8]) -> [UInt8] {
    func number(_ digits: ArraySlice<UInt8>) -> [UInt8] {
      var digits = Array(digits.drop { $0 == 0 })
      if digits.first.map({ $0 >= 0x80 }) ?? true { digits.insert(0, at: 0) }
      return [0x02, UInt8(digits.count)] + digits
    }
    let body = number(raw[..<32]) + number(raw[32...])
    return [0x30, UInt8(body.count)] + body
  }
}
