import Foundation
import PushModel
import Testing

@testable import PushCodec

/// The test vectors of the protocol notes that concern messages (a copy of that part).
@Suite struct VectorTests {
  private let fixture = CodecFixture()
  private let vectors: [String: Any]

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/vectors.json")
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file))
    vectors = try #require(json as? [String: Any])
  }

  private func rows(_ name: String) throws -> [[String: Any]] {
    try #require(vectors[name] as? [[String: Any]])
  }

  private func quoted(_ text: String) -> String {
    var writer = JSONWriter()
    writer.text(text)
    return String(decoding: writer.out.array(), as: UTF8.self)
  }

  @Test func `a collapse key is sent as it is up to 64 bytes, else as its hash`() throws {
    for row in try rows("collapseId") {
      let input = try #require(row["input"] as? String)
      let expected = try #require(row["expected"] as? String)
      let text = CodecFixture.event(
        #""type":"notice","title":"T","collapseKey":\#(quoted(input))"#, CodecFixture.iphone)
      let request = try fixture.request(text)
      #expect(request.collapseID == [UInt8](expected.utf8), "\(row["name"] ?? "")")
      let android = try fixture.request(
        text.replacing(CodecFixture.iphone, with: CodecFixture.android))
      // Android's tag is the key as given, whatever its length.
      #expect(android.text.contains(#""tag":\#(quoted(input))"#) == !input.isEmpty)
      #expect(!android.text.contains("collapse_key"))
    }
  }

  @Test func `bare tokens are told apart by their look`() throws {
    for row in try rows("tokens") {
      let value = try #require(row["value"] as? String)
      #expect(TokenShape([UInt8](value.utf8).span).rawValue == row["expect"] as? String, "\(value)")
    }
  }

  @Test func `durations of FCM are checked to the nanosecond`() throws {
    for row in try rows("durations") {
      let text = try #require(row["json"] as? String)
      #expect(FCMDuration.isValid([UInt8](text.utf8)) == (row["ok"] as? Bool ?? true), "\(text)")
    }
    for text in ["", "s", "1", "-1s", "1.s", ".5s", "1.1234567890s", "2419200.1s", "1e3s"] {
      #expect(!FCMDuration.isValid([UInt8](text.utf8)), "\(text)")
    }
  }

  @Test func `reserved data keys are those of the notes`() throws {
    let keys = try #require(vectors["dataKeys"] as? [String: [String]])
    for key in (keys["rejected"] ?? []) + (keys["rejectedByCaution"] ?? []) {
      #expect(ReservedKey.isReserved([UInt8](key.utf8)), "\(key)")
    }
    for key in keys["allowed"] ?? [] {
      #expect(!ReservedKey.isReserved([UInt8](key.utf8)), "\(key)")
    }
  }

  @Test func `sizes are bounded to the byte`() throws {
    for row in try rows("sizeBoundary") {
      let type = try #require((row["pushType"] as? String).flatMap(PushType.init(rawValue:)))
      let bytes = try #require(row["bytes"] as? Int)
      let device =
        #"{"platform":"ios","token":"aa","voipToken":"bb","liveActivityToken":"cc"}"#
      let activity = #""liveActivity":{"event":"end"},"#
      let fields = #"""
        "type":"sync","pushType":"\#(type.rawValue)",\#(type == .liveactivity ? activity : "")\#
        "badge":1,"data":{"x":"PAD"}
        """#
      let base = try fixture.request(CodecFixture.event(fields, device)).body.count
      let padding = String(repeating: "y", count: bytes - base + 3)
      let text = CodecFixture.event(fields.replacing("PAD", with: padding), device)
      if row["ok"] as? Bool == true {
        #expect(try fixture.request(text).body.count == bytes)
      } else {
        let fault = try fixture.failure(text)
        #expect(fault.reason == .payloadTooLarge)
        #expect(fault.detail.contains("\(bytes)"), "\(fault.detail)")
      }
    }
  }
}
