import PushModel
import Testing

@testable import PushCodec

@Suite struct TimeTests {
  private let fixture = CodecFixture()
  private let devices = #""devices":[\#(CodecFixture.iphone),\#(CodecFixture.android)]"#

  private func event(_ fields: String) throws -> DecodedEvent {
    try fixture.event(#"{"type":"message","title":"T",\#(fields)\#(devices)}"#)
  }

  private func build(
    _ event: DecodedEvent, _ target: Int, at seconds: Int64
  ) -> (BuildResult, PushRequest) {
    let request = PushRequest()
    let result = fixture.codec.build(event, target: target, now: seconds * 1_000, into: request)
    return (result, request)
  }

  @Test func `life starts at sentAt, and what is left is reckoned at each attempt`() throws {
    let event = try event(#""sentAt":1764489600.75,"ttl":100,"#)
    #expect(event.sentAtMs == 1_764_489_600_750)
    #expect(!event.sentAtIsEstimate)
    #expect(event.expiresAt == 1_764_489_700)
    #expect(build(event, 0, at: 1_764_489_650).1.expiration == 1_764_489_700)
    #expect(build(event, 1, at: 1_764_489_650).1.text.contains(#""ttl":"50s""#))
    #expect(build(event, 1, at: 1_764_489_699).1.text.contains(#""ttl":"1s""#))
    guard case .expired = build(event, 0, at: 1_764_489_700).0 else {
      Issue.record("sent after its life")
      return
    }
  }

  @Test func `without sentAt life starts at the first take`() throws {
    let event = try event("")
    #expect(event.sentAtIsEstimate)
    #expect(event.sentAtMs == CodecFixture.now)
    #expect(event.expiresAt == CodecFixture.now / 1_000 + 86_400)
  }

  @Test func `a scheduled event lives from its moment`() throws {
    let event = try event(#""sentAt":1764489600,"notBefore":1764493200,"ttl":60,"#)
    #expect(event.notBefore == 1_764_493_200)
    #expect(event.expiresAt == 1_764_493_260)
  }

  @Test func `ttl 0 is one attempt within 30 seconds`() throws {
    let event = try event(#""sentAt":1764489600,"ttl":0,"#)
    #expect(event.isOneShot)
    #expect(build(event, 0, at: 1_764_489_610).1.expiration == 0)
    #expect(build(event, 1, at: 1_764_489_610).1.text.contains(#""ttl":"0s""#))
    guard case .expired = build(event, 0, at: 1_764_489_630).0 else {
      Issue.record("a call after its time")
      return
    }
  }

  @Test func `FCM's ttl is at most four weeks`() throws {
    let event = try event(#""sentAt":1764489600,"ttl":2592000,"#)
    #expect(build(event, 1, at: 1_764_489_601).1.text.contains(#""ttl":"2419200s""#))
    #expect(build(event, 0, at: 1_764_489_601).1.expiration == 1_764_489_600 + 2_592_000)
  }

  @Test func `expiresAt stands instead of ttl`() throws {
    let event = try event(#""expiresAt":1764489999,"#)
    #expect(event.expiresAt == 1_764_489_999)
    #expect(!event.isOneShot)
  }

  @Test func `every form of a number of seconds is read exactly`() throws {
    for (text, value) in [
      ("1764489600", 1_764_489_600_000), ("1764489600.1", 1_764_489_600_100),
      ("1764489600.123", 1_764_489_600_123), ("1764489600.1239", 1_764_489_600_123),
      ("1.7644896e9", 1_764_489_600_000),
    ] as [(String, Int64)] {
      #expect(try event(#""sentAt":\#(text),"#).sentAtMs == value, "\(text)")
    }
  }

  @Test func `message and notice expire with a letter, the others are counted`() throws {
    #expect(try event("").expiredRule == .letter)
    #expect(
      try fixture.event(CodecFixture.event(#""type":"read""#, CodecFixture.iphone)).expiredRule
        == .count)
  }
}
