import PushModel
import Testing

@testable import PushCodec

/// What APNs or FCM would refuse for certain is refused here, with the field's name.
@Suite struct CertainRefusalTests {
  private let fixture = CodecFixture()

  private func failure(_ fields: String, _ device: String) throws -> String {
    try fixture.failure(CodecFixture.event(fields, device)).detail
  }

  @Test(arguments: [
    ("token", #""token":"ä:b""#), ("token", #""token":"a:b c""#), ("fid", #""fid":"e\nZ""#),
  ])
  func `bytes that no token of FCM has fail the device`(name: String, token: String) throws {
    let detail = try failure(#""type":"sync""#, #"{"platform":"android",\#(token)}"#)
    #expect(detail == "devices[0].\(name): not a token of FCM")
  }

  @Test(arguments: [
    "'a'", "'a' in topics ||", "('a' in topics", "a in topics", "'a' in topics)", "'' in topics",
    "'a' in topics 'b' in topics", "'a b' in topics", "!", "'a' in topic",
  ])
  func `a condition that is none is refused`(condition: String) throws {
    let event = #"{"type":"notice","title":"T","condition":"\#(condition)"}"#
    #expect(try fixture.fault(event).detail.hasPrefix("condition: "))
  }

  @Test(arguments: [
    "'a' in topics", "!('a' in topics) && ('b' in topics||'c' in topics)", " ( ('a' in topics) ) ",
  ])
  func `a condition that is one is taken`(condition: String) throws {
    let event = #"{"type":"notice","title":"T","condition":"\#(condition)"}"#
    #expect(try fixture.event(event).targetCount == 1)
  }

  @Test func `what has its own kind of token does not go to a topic`() throws {
    let event = #"{"type":"notice","title":"T","topic":"t","pushType":"fileprovider"}"#
    #expect(try fixture.fault(event).detail == "pushType: fileprovider does not go to a topic")
    #expect(try fixture.event(#"{"type":"call","title":"T","topic":"t"}"#).targetCount == 1)
  }

  @Test func `a live activity that is not there is refused`() throws {
    let detail = try failure(
      #""type":"notice","title":"T","pushType":"liveactivity""#,
      #"{"platform":"ios","liveActivityToken":"\#(CodecFixture.tokenA)"}"#)
    #expect(detail == "liveActivity: required for push type liveactivity")
  }

  @Test func `a live activity of the event's own payload is checked`() throws {
    let device = #"{"platform":"ios","liveActivityToken":"\#(CodecFixture.tokenA)"}"#
    func fields(_ aps: String) -> String {
      #""type":"sync","pushType":"liveactivity","apns":{"payload":{"aps":\#(aps)}}"#
    }
    #expect(
      try failure(fields("{}"), device)
        == "apns.payload: aps.event is required for push type liveactivity")
    #expect(
      try failure(fields(#"{"event":"update"}"#), device)
        == "apns.payload: aps.content-state is required for push type liveactivity")
    let whole = fields(#"{"event":"update","content-state":{"n":1}}"#)
    #expect(try fixture.request(CodecFixture.event(whole, device)).pushType == .liveactivity)
  }

  @Test func `a device's topic takes the suffix of each push`() throws {
    let device =
      #"{"platform":"ios","token":"\#(CodecFixture.tokenA)","apnsTopic":"com.example.chat.voip"}"#
    let alert = try fixture.request(CodecFixture.event(#""type":"notice","title":"T""#, device))
    #expect(alert.topicText == "com.example.chat")
    let other = #"{"platform":"ios","token":"\#(CodecFixture.tokenA)","apnsTopic":"org.x.voip"}"#
    let foreign = try fixture.request(CodecFixture.event(#""type":"notice","title":"T""#, other))
    #expect(foreign.topicText == "org.x.voip")
  }

  @Test func `a header's topic of another push type is refused`() throws {
    let detail = try failure(
      #""type":"notice","title":"T","apns":{"headers":{"apns-topic":"com.example.chat.voip"}}"#,
      CodecFixture.iphone)
    #expect(detail == "apns.headers.apns-topic: .voip is not for push type alert")
  }

  @Test func `the block's part for Apple goes to Apple devices alone`() throws {
    let fields = #""type":"notice","title":"T","fcm":{"apns":{"headers":{"apns-priority":"10"}}}"#
    let web = try fixture.request(CodecFixture.event(fields, CodecFixture.browser)).text
    #expect(!web.contains("apns"))
    let relayed = try fixture.request(CodecFixture.event(fields, CodecFixture.relayed)).text
    #expect(relayed.contains(#""apns-priority":"10""#))
  }
}
