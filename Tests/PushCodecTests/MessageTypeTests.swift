import PushModel
import Testing

@testable import PushCodec

@Suite struct MessageTypeTests {
  private let fixture = CodecFixture()

  private static let message = #"""
    "id":"e1","type":"message","room":{"id":42,"name":"Lunch"},"sender":{"id":7,"name":"Kim"},\#
    "message":{"id":1000000000000000001,"text":"Hi \"you\""}
    """#

  @Test func `a message in a named room names the room and the sender`() throws {
    let request = try fixture.request(CodecFixture.event(Self.message, CodecFixture.iphone))
    #expect(request.pushType == .alert)
    #expect(request.priority == 10)
    #expect(request.topicText == "com.example.chat")
    #expect(request.expiration == CodecFixture.sentAt + 86_400)
    #expect(request.collapseID.isEmpty)
    #expect(String(decoding: request.deviceToken, as: UTF8.self) == CodecFixture.tokenA)
    #expect(
      request.text == #"""
        {"aps":{"alert":{"title":"Lunch","body":"Kim: Hi \"you\""},"sound":"default",\#
        "thread-id":"42","category":"message"},"type":"chat","chatRoomId":42,\#
        "messageId":1000000000000000001,"senderName":"Kim","senderId":7}
        """#)
  }

  @Test func `the apns-id is the UUID of event id and token`() throws {
    let request = try fixture.request(
      CodecFixture.event(Self.message, CodecFixture.iphone.uppercasedToken))
    // Made by Python's uuid.uuid5 of "e1\n" + 32 times "aa".
    let id = String(decoding: request.apnsID, as: UTF8.self)
    #expect(id == "8cdd767e-5a55-5c71-889e-dd21992d7dbe")
  }

  @Test func `the same message to Android shows a notification beside string data`() throws {
    let request = try fixture.request(CodecFixture.event(Self.message, CodecFixture.android))
    #expect(
      request.text == #"""
        {"message":{"token":"fInv1:APA91bINVENTED0001",\#
        "notification":{"title":"Lunch","body":"Kim: Hi \"you\""},\#
        "data":{"type":"chat","chatRoomId":"42","messageId":"1000000000000000001",\#
        "senderName":"Kim","senderId":"7"},\#
        "android":{"priority":"HIGH","ttl":"86399s","notification":{"sound":"default"}}}}
        """#)
  }

  @Test func `an iPhone behind FCM gets an apns block with string headers and no notification`()
    throws
  {
    let request = try fixture.request(CodecFixture.event(Self.message, CodecFixture.relayed))
    #expect(
      request.text == #"""
        {"message":{"fid":"epeBEsobvcr6wjGzmiPcTa",\#
        "data":{"type":"chat","chatRoomId":"42","messageId":"1000000000000000001",\#
        "senderName":"Kim","senderId":"7"},\#
        "apns":{"payload":{"aps":{"alert":{"title":"Lunch","body":"Kim: Hi \"you\""},\#
        "sound":"default","thread-id":"42","category":"message"}},\#
        "headers":{"apns-push-type":"alert","apns-priority":"10","apns-expiration":"1764576000"}}}}
        """#)
  }

  @Test func `a browser gets a webpush block`() throws {
    let event = CodecFixture.event(
      Self.message + #","url":"https://example.com/r/42""#, CodecFixture.browser)
    let request = try fixture.request(event)
    #expect(
      request.text.hasSuffix(
        #"""
        "webpush":{"headers":{"TTL":"86399","Urgency":"high"},\#
        "notification":{"title":"Lunch","body":"Kim: Hi \"you\""},\#
        "fcm_options":{"link":"https://example.com/r/42"}}}}
        """#))
  }

  @Test func `without a room's name the sender is the title and the text stands alone`() throws {
    let event = CodecFixture.event(
      #""type":"message","sender":{"name":"Kim"},"message":{"text":"Hi"}"#, CodecFixture.iphone)
    #expect(try fixture.request(event).text.contains(#""alert":{"title":"Kim","body":"Hi"}"#))
  }

  @Test func `an image without text is shown by the app's word for it`() throws {
    let event = CodecFixture.event(
      #""type":"message","sender":{"name":"Kim"},"message":{"image":"https://e.com/a.png"}"#,
      CodecFixture.iphone)
    let text = try fixture.request(event).text
    #expect(text.contains(#""body":"📷""#))
    #expect(text.contains(#""mutable-content":1"#))
    #expect(text.contains(#""image":"https://e.com/a.png""#))
  }

  @Test func `a notice is an alert of normal priority and needs a text`() throws {
    let event = CodecFixture.event(#""type":"notice","title":"News""#, CodecFixture.iphone)
    let request = try fixture.request(event)
    #expect(request.priority == 5)
    #expect(request.expiration == CodecFixture.sentAt + 259_200)
    let fault = try fixture.fault(CodecFixture.event(#""type":"notice""#, CodecFixture.iphone))
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix("title"))
  }

  @Test func `a call goes to the PushKit token as voip`() throws {
    let request = try fixture.request(
      CodecFixture.event(#""type":"call","sender":{"id":"u7","name":"Kim"}"#, CodecFixture.caller))
    #expect(request.pushType == .voip)
    #expect(request.topicText == "com.example.chat.voip")
    #expect(request.priority == 10)
    #expect(request.expiration == CodecFixture.sentAt + 30)
    #expect(String(decoding: request.deviceToken, as: UTF8.self) == CodecFixture.tokenB)
    #expect(
      request.text
        == #"{"aps":{"alert":{"title":"Kim"}},"type":"call","senderName":"Kim","senderId":"u7"}"#)
  }

  @Test func `a call without a PushKit token is a time-sensitive alert`() throws {
    let request = try fixture.request(
      CodecFixture.event(#""type":"call","sender":{"name":"Kim"}"#, CodecFixture.iphone))
    #expect(request.pushType == .alert)
    #expect(request.topicText == "com.example.chat")
    #expect(request.text.contains(#""interruption-level":"time-sensitive""#))
  }

  @Test func `a call to Android is data only`() throws {
    let request = try fixture.request(
      CodecFixture.event(#""type":"call","sender":{"name":"Kim"}"#, CodecFixture.android))
    #expect(
      request.text == #"""
        {"message":{"token":"fInv1:APA91bINVENTED0001",\#
        "data":{"title":"Kim","type":"call","senderName":"Kim"},\#
        "android":{"priority":"HIGH","ttl":"29s"}}}
        """#)
  }

  @Test func `the end of a call never goes to the PushKit token`() throws {
    let request = try fixture.request(
      CodecFixture.event(#""type":"callEnd","sender":{"name":"Kim"}"#, CodecFixture.caller))
    #expect(request.pushType == .alert)
    #expect(String(decoding: request.deviceToken, as: UTF8.self) == CodecFixture.tokenA)
    #expect(request.text.contains(#""alert":{"title":"Kim","body":"Missed call"}"#))
  }

  @Test func `read is silent, and an alert with content-available when it has a badge`() throws {
    let fields = #""type":"read","room":{"id":"r1"},"lastReadId":9007199254740993"#
    let silent = try fixture.request(CodecFixture.event(fields, CodecFixture.iphone))
    #expect(silent.pushType == .background)
    #expect(silent.priority == 5)
    #expect(
      silent.text == #"""
        {"aps":{"content-available":1},"type":"read","chatRoomId":"r1",\#
        "lastReadChatId":9007199254740993}
        """#)
    let badge = try fixture.request(
      CodecFixture.event(fields + #","badge":0"#, CodecFixture.iphone))
    #expect(badge.pushType == .alert)
    #expect(badge.priority == 5)
    #expect(badge.text.hasPrefix(#"{"aps":{"badge":0,"content-available":1}"#))
  }

  @Test func `withdraw and sync are silent`() throws {
    for type in ["withdraw", "sync"] {
      let request = try fixture.request(
        CodecFixture.event(
          #""type":"\#(type)","message":{"id":"m1"}"#, CodecFixture.iphone))
      #expect(request.pushType == .background)
      #expect(
        request.text
          == #"{"aps":{"content-available":1},"type":"\#(type)","messageId":"m1"}"#)
    }
  }
}

extension String {
  fileprivate var uppercasedToken: String {
    replacing(CodecFixture.tokenA, with: CodecFixture.tokenA.uppercased())
  }
}
