import PushModel
import Testing

@testable import PushCodec

@Suite struct DeviceTests {
  private let fixture = CodecFixture()

  private func target(_ device: String, _ fixture: CodecFixture? = nil) throws -> PushTarget {
    let event = try (fixture ?? self.fixture).event(
      CodecFixture.event(#""type":"notice","title":"T""#, device))
    return event.target(0)
  }

  private func fault(_ device: String, _ fixture: CodecFixture? = nil) throws -> EventFault? {
    let event = try (fixture ?? self.fixture).event(
      CodecFixture.event(#""type":"notice","title":"T""#, device))
    return event.fault(of: 0)
  }

  private let a = CodecFixture.tokenA

  @Test func `without a provider the token decides for Apple platforms`() throws {
    #expect(try target(#"{"platform":"ios","token":"\#(a)"}"#).provider == .apns)
    #expect(try target(#"{"platform":"ios","token":"x:y"}"#).provider == .fcm)
    #expect(try target(#"{"platform":"macos","fid":"\#(CodecFixture.fid)"}"#).provider == .fcm)
    #expect(try target(#"{"platform":"android","token":"x:y"}"#).provider == .fcm)
    #expect(try target(#"{"token":"\#(a)"}"#).provider == .apns)
    #expect(try target(#"{"token":"x:y"}"#).provider == .fcm)
  }

  @Test func `an FCM target is an FID by field or by shape, and an fid wins`() throws {
    let both = try target(#"{"platform":"ios","provider":"fcm","token":"x:y","fid":"abc"}"#)
    #expect(both.kind == .fid)
    #expect(try target(#"{"platform":"android","token":"\#(CodecFixture.fid)"}"#).kind == .fid)
    #expect(try target(#"{"platform":"android","token":"x:y"}"#).kind == .device)
    #expect(try target(#"{"platform":"android","token":"short"}"#).kind == .device)
  }

  @Test func `tokens are trimmed and APNs tokens lower-cased`() throws {
    let request = try fixture.request(
      CodecFixture.event(
        #""type":"notice","title":"T""#,
        #"{"platform":"ios","token":" \#(a.uppercased())\n"}"#))
    #expect(String(decoding: request.deviceToken, as: UTF8.self) == a)
    let fcm = try fixture.request(
      CodecFixture.event(
        #""type":"notice","title":"T""#, #"{"platform":"android","token":"\t x:Y "}"#))
    #expect(fcm.text.contains(#""token":"x:Y""#))
  }

  @Test(arguments: [
    (#"{"platform":"ios","provider":"apns","token":"abc"}"#, "devices[0].token: odd"),
    (#"{"platform":"ios","provider":"apns","token":"xyz"}"#, "devices[0].token: not hex"),
    (#"{"platform":"ios","token":""}"#, "devices[0].token: empty"),
    (#"{"platform":"ios"}"#, "devices[0].token: required"),
    (#"{"platform":"android","token":"  "}"#, "devices[0].token: empty"),
    (#"{"platform":"android","fid":""}"#, "devices[0].token: required"),
    (#"{"platform":"symbian","token":"x:y"}"#, "devices[0].platform"),
    (#"{"platform":"ios","provider":"wns","token":"x:y"}"#, "devices[0].provider"),
    (#"{"platform":"ios","environment":"test","token":"aa"}"#, "devices[0].environment"),
    (#"{"platform":"ios","token":5}"#, "devices[0].token: not a string"),
    (#"{"platform":"ios","token":"aa","apnsTopic":"a b"}"#, "devices[0].apnsTopic"),
    (#"{"platform":"ios","token":"aa","registeredAt":1764489600}"#, "devices[0].registeredAt"),
    (#"{"platform":"ios","token":"aa","token":"bb"}"#, "devices[0]: key"),
    (#""text""#, "devices[0]: not an object"),
    (#"{"platform":"ios","token":"a\ud800"}"#, "devices[0]: broken Unicode"),
  ])
  func `a faulty device is stopped and named`(device: String, detail: String) throws {
    let fault = try #require(try fault(device))
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix(detail), "\(fault.detail)")
  }

  @Test func `an APNs token at an app without APNs has no credential`() throws {
    let apns: Set = [
      CredentialKey(app: "chat", provider: .apns),
      CredentialKey(app: "chat", provider: .apns, environment: .sandbox),
    ]
    let onlyFCM = CodecFixture(without: apns)
    #expect(try fault(CodecFixture.iphone, onlyFCM)?.reason == .noCredential)
    #expect(
      try fault(#"{"platform":"ios","provider":"apns","token":"\#(a)"}"#, onlyFCM)?.reason
        == .noCredential)
    #expect(try fault(#"{"platform":"android","token":"\#(a)"}"#)?.reason == .invalidEvent)
    let onlyAPNs = CodecFixture(without: [CredentialKey(app: "chat", provider: .fcm)])
    #expect(try fault(CodecFixture.android, onlyAPNs)?.reason == .noCredential)
    #expect(try fault(#"{"platform":"ios","token":"<aa bb>"}"#, onlyAPNs)?.reason == .invalidEvent)
  }

  @Test func `environment and topic are the device's, else the app's`() throws {
    let sandbox = try target(#"{"platform":"ios","token":"aa","environment":"sandbox"}"#)
    #expect(sandbox.environment == .sandbox)
    let credential = fixture.codec.credentialList[sandbox.credential]
    #expect(credential == CredentialKey(app: "chat", provider: .apns, environment: .sandbox))
    #expect(try target(CodecFixture.iphone).environment == .production)
    let request = try fixture.request(
      CodecFixture.event(
        #""type":"notice","title":"T""#,
        #"{"platform":"ios","token":"aa","apnsTopic":"com.example.other"}"#))
    #expect(request.topicText == "com.example.other")
    let none = CodecFixture(without: [
      CredentialKey(app: "chat", provider: .apns, environment: .sandbox)
    ])
    #expect(
      try fault(#"{"platform":"ios","token":"aa","environment":"sandbox"}"#, none)?.reason
        == .noCredential)
  }

  @Test func `a token is shown by six characters and its length`() throws {
    let event = try fixture.event(
      CodecFixture.event(#""type":"notice","title":"T""#, CodecFixture.iphone))
    #expect(event.redactedToken(of: 0) == "aaaaaa…(64)")
  }

  @Test func `no fault shows a token`() throws {
    let secret = "SECRETTOKENSECRETTOKENSECRET"
    for device in [
      #"{"platform":"ios","provider":"apns","token":"\#(secret)"}"#,
      #"{"platform":"\#(secret)x","token":"\#(secret)"}"#,
    ] {
      #expect(try fault(device)?.detail.contains(secret) == false)
    }
  }

  @Test func `the user and the devices of the short form are one recipient`() throws {
    let text = #"""
      {"type":"read","user":"u1","lastReadId":"m9","badge":3,"devices":[\#(CodecFixture.iphone)]}
      """#
    let request = try fixture.request(text)
    #expect(request.text.contains(#""lastReadChatId":"m9""#))
    #expect(request.text.contains(#""badge":3"#))
  }

  @Test func `what a recipient sets wins over the event, data key by key`() throws {
    let text = #"""
      {"type":"notice","title":"T","badge":1,"data":{"a":1,"b":2,"type":"own"},"recipients":[
      {"badge":0,"data":{"b":"x","c":[1, 2]},"lastReadId":5,"devices":[\#(CodecFixture.iphone)]},
      {"devices":[\#(CodecFixture.android)]}]}
      """#
    #expect(
      try fixture.request(text).text == #"""
        {"aps":{"alert":{"title":"T"},"badge":0,"sound":"default"},"a":1,"type":"own",\#
        "lastReadChatId":5,"b":"x","c":[1,2]}
        """#)
    let second = try fixture.request(text, target: 1).text
    #expect(second.contains(#""data":{"a":"1","b":"2","type":"own"}"#))
    #expect(second.contains(#""notification_count":1"#))
  }
}
