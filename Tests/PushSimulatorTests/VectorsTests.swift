import HTTP2
import LoopIO
import TestSupport
import Testing

@testable import PushSimulator

/// Apple's and Google's own examples, where the shared vectors are at hand.
@Suite struct VectorsTests {
  private static let vectors: JSONText? = {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    return read("/\(root)/../shared/protocol/vectors.json").flatMap { JSONText($0) }
  }()

  @Test(.enabled(if: vectors != nil))
  func `Apple's sample requests are accepted`() async throws {
    let vectors = try #require(Self.vectors)
    try await SimulatorBench.run {
      $0.topics = ["com.example.MyApp", "com.example.CaffeineTracker"]
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns)
      let bearer = try bench.jwt()
      var number = 0
      while let headers = vectors["apns.requests.\(number).headers"] {
        var push = Push()
        push.bearer = bearer
        push.fields = [("apns-topic", "com.example.MyApp")]
        let fields = try #require(JSONText(Array(headers.utf8)))
        fields.forEachMember(of: 0) { key, value in
          let name = fields.string(key)
          if name.hasPrefix("apns-") { push.set(name, fields.string(value)) }
          if name == ":path" { push.path = fields.string(value) }
          return true
        }
        push.body = Array(try #require(vectors["apns.requests.\(number).body"]).utf8)
        let answer = try await bench.send(push, through: pool)
        let name = vectors["apns.requests.\(number).name"] ?? ""
        #expect(answer.status == 200, "\(name): \(answer.reason)")
        number += 1
      }
      #expect(number == 8)
    }
  }

  @Test(.enabled(if: vectors != nil))
  func `Google's sample requests are accepted`() async throws {
    let vectors = try #require(Self.vectors)
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      var number = 0
      while let body = vectors["fcm.requests.\(number).body"] {
        let whole = body.split(separator: "<FID>", omittingEmptySubsequences: false)
          .joined(separator: "epeBEsobvcr6wjGzmiPcTa")
        let answer = try await client.send(whole)
        #expect(answer.status == 200, "\(body)")
        number += 1
      }
      #expect(number == 4)
    }
  }

  @Test(.enabled(if: vectors != nil))
  func `targets, data keys and durations are judged as the vectors say`() async throws {
    let vectors = try #require(Self.vectors)
    try await SimulatorBench.run { bench in
      let client = try await FCMClient(bench)
      func status(_ message: String) async throws -> Int {
        try await client.send("{\"message\":{\(message)}}").status
      }
      let values = ["token": "a:b", "fid": "epeBEsobvcr6wjGzmiPcTa", "topic": "t"]
      var number = 0
      while let wanted = vectors["fcm.exactlyOneTarget.\(number).ok"] {
        let fields = (0..<3).compactMap { vectors["fcm.exactlyOneTarget.\(number).fields.\($0)"] }
        let message = fields.map { name in
          let value = values[name] ?? "'a' in topics"
          return "\"\(name)\":\"\(value)\""
        }
        #expect((try await status(message.joined(separator: ",")) == 200) == (wanted == "true"))
        number += 1
      }
      for (list, wanted) in [("rejected", 400), ("rejectedByCaution", 400), ("allowed", 200)] {
        for key in (0..<9).compactMap({ vectors["fcm.dataKeys.\(list).\($0)"] }) {
          let found = try await status("\"token\":\"a:b\",\"data\":{\"\(key)\":\"v\"}")
          #expect(found == wanted, "\(key)")
        }
      }
      for number in 0..<5 {
        let ttl = try #require(vectors["fcm.durations.examples.\(number).json"])
        let wanted = vectors["fcm.durations.examples.\(number).ok"] == "false" ? 400 : 200
        let found = try await status("\"token\":\"a:b\",\"android\":{\"ttl\":\"\(ttl)\"}")
        #expect(found == wanted, "\(ttl)")
      }
    }
  }
}
