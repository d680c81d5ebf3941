import PushModel
import Testing

@testable import PushCodec

@Suite struct SplicerTests {
  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return String(repeating: "0", count: 64 - digits.count) + digits
  }

  private static func device(_ number: Int) -> String {
    #"{"platform":"ios","token":"\#(token(number))"}"#
  }

  @Test func `a recipient stays whole, is cut, or goes`() throws {
    let fixture = CodecFixture()
    let whole = #"{"type":"message","message":{"text":"hi"},"recipients":["#
    let a = #"{"user":"a","devices":[\#(Self.device(1)),\#(Self.device(2))]}"#
    let b = #"{"user":"b","badge":3,"devices":[\#(Self.device(3)), \#(Self.device(4))],"x":1}"#
    let c = #"{"user":"c","devices":[\#(Self.device(5))]}"#
    let event = try fixture.event(whole + "\(a), \(b) ,\(c)]}")
    let part = fixture.codec.splice(event, targets: [3, 0, 1])
    let cut = #"{"user":"b","badge":3,"devices":[\#(Self.device(4))],"x":1}"#
    #expect(Self.text(part) == whole + "\(a),\(cut)]}")
    // What b says beside its devices is repeated by each of its parts.
    let shared =
      (whole + "]}").utf8.count - "[]".utf8.count
      + #"{"user":"b","badge":3,"devices":,"x":1}"#.utf8.count
    #expect(fixture.codec.sharedBytes(event) == shared)
  }

  @Test func `all parts together are the event's devices, in order`() throws {
    let fixture = CodecFixture()
    let devices = (0..<1_000).map(Self.device)
    let event = try fixture.event(
      #"{"type":"message","message":{"text":"hi"},"devices":[\#(devices.joined(separator: ","))]}"#)
    var seen: [String] = []
    for start in stride(from: 0, to: 1_000, by: 250) {
      let part = fixture.codec.splice(event, targets: Array(start..<start + 250))
      let piece = try fixture.event(Self.text(part))
      #expect(piece.targetCount == 250)
      seen += piece.targets.indices.map { piece.address(of: $0) }
    }
    #expect(seen == (0..<1_000).map(Self.token))
  }
}
