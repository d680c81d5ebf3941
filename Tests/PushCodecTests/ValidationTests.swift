import PushModel
import Testing

@testable import PushCodec

/// Each fault ends as one reason and a detail that begins with the field's name.
@Suite struct ValidationTests {
  private let fixture = CodecFixture()

  @Test(arguments: [
    ("badge", #""badge":-1"#), ("badge", #""badge":"3""#), ("badge", #""badge":2147483648"#),
    ("badge", #""badge":1.0"#), ("badge", #""badge":true"#), ("title", #""title":7"#),
    ("body", #""body":["x"]"#), ("room", #""room":"r1""#), ("room.id", #""room":{"id":1.5}"#),
    ("sender.name", #""sender":{"name":1}"#), ("message.text", #""message":{"text":{}}"#),
    ("titleLocArgs", #""titleLocArgs":"x""#), ("locArgs", #""locArgs":[null]"#),
    ("url", #""url":1"#), ("data", #""data":[]"#), ("data.aps", #""data":{"aps":{}}"#),
    ("sentAt", #""sentAt":1764489600000"#), ("sentAt", #""sentAt":"now""#),
    ("sentAt", #""sentAt":3600"#), ("ttl", #""ttl":-1"#), ("ttl", #""ttl":2592001"#),
    ("ttl", #""ttl":"60""#), ("expiresAt", #""expiresAt":1764489600000"#),
    ("expiresAt", #""expiresAt":60"#), ("expiresAt", #""ttl":60,"expiresAt":1764490000"#),
    ("notBefore", #""notBefore":1767100000"#), ("notBefore", #""notBefore":1764489600000"#),
    ("priority", #""priority":"urgent""#), ("priority", #""priority":10"#),
    ("pushType", #""pushType":"banner""#), ("channel", #""channel":1"#),
    ("sound", #""sound":true"#), ("sound", #""sound":3"#),
    ("sound.volume", #""sound":{"critical":true,"volume":2}"#),
    ("sound.critical", #""sound":{"critical":1}"#),
    ("mutableContent", #""mutableContent":1"#), ("contentAvailable", #""contentAvailable":"1""#),
    ("interruptionLevel", #""interruptionLevel":"loud""#),
    ("relevanceScore", #""relevanceScore":1.5"#), ("category", #""category":1"#),
    ("threadId", #""threadId":1"#), ("collapseKey", #""collapseKey":1"#),
    ("liveActivity.event", #""liveActivity":{}"#),
    ("liveActivity.event", #""liveActivity":{"event":"pause"}"#),
    ("liveActivity.contentState", #""liveActivity":{"event":"update"}"#),
    ("liveActivity.attributesType", #""liveActivity":{"event":"start","contentState":{}}"#),
    ("liveActivity.staleDate", #""liveActivity":{"event":"end","staleDate":5}"#),
    ("recipients", #""recipients":[]"#), ("topic", #""topic":"news""#),
    ("apns", #""apns":1"#), ("apns.headers", #""apns":{"headers":[]}"#),
    ("apns.payload", #""apns":{"payload":"x"}"#),
    ("apns.headers.apns-priority", #""apns":{"headers":{"apns-priority":"7"}}"#),
    ("apns.headers.authorization", #""apns":{"headers":{"authorization":"x"}}"#),
    ("apns.headers.:path", #""apns":{"headers":{":path":"x"}}"#),
    ("apns.headers.apns-topic", #""apns":{"headers":{"apns-topic":"a\nb"}}"#),
    (
      "apns.headers: 8196 bytes",
      #""apns":{"headers":{"x-long":"\#(String(repeating: "a", count: 8_190))"}}"#
    ),
    ("fcm", #""fcm":[]"#), ("fcm.token", #""fcm":{"token":"x"}"#),
    ("fcm.toen", #""fcm":{"toen":"x"}"#), ("fcm.name", #""fcm":{"name":"x"}"#),
    ("fcm.data", #""fcm":{"data":{"n":1}}"#),
    ("fcm.data.google.x", #""fcm":{"data":{"google.x":"1"}}"#),
    ("fcm.android.ttl", #""fcm":{"android":{"ttl":"2419201s"}}"#),
    ("fcm.android.priority", #""fcm":{"android":{"priority":"URGENT"}}"#),
    ("fcm.android.notification.sticky", #""fcm":{"android":{"notification":{"sticky":1}}}"#),
    (
      "fcm.android.notification.notification_count",
      #""fcm":{"android":{"notification":{"notification_count":1.5}}}"#
    ),
    ("fcm.apns.headers", #""fcm":{"apns":{"headers":{"apns-priority":5}}}"#),
    ("fcm.androidV2", #""fcm":{"android":{},"androidV2":{"backgroundSync":{}}}"#),
    ("fcm.androidV2.remote_notification", #""fcm":{"androidV2":{}}"#),
    ("fcm.webpush.fcm_options.link", #""fcm":{"webpush":{"fcm_options":{"link":"http://x"}}}"#),
    ("fcm.fcmOptions.analyticsLabel", #""fcm":{"fcmOptions":{"analyticsLabel":"a b"}}"#),
    ("fcm.android.notification.color", #""fcm":{"android":{"notification":{"color":"red"}}}"#),
    (
      "fcm.android.notification.lightSettings.color",
      #""fcm":{"android":{"notification":{"lightSettings":{}}}}"#
    ),
    ("traceparent", #""traceparent":1"#),
    ("id", #""id":"""#), ("id", #""id":7"#),
    ("id", #""id":"\#(String(repeating: "x", count: 129))""#),
  ])
  func `a wrong field is named`(field: String, json: String) throws {
    let fault = try fixture.fault(
      "{\(json),\"type\":\"message\",\"title\":\"T\",\"devices\":[\(CodecFixture.iphone)]}"
        .replacing(#""title":7,"type":"message","title":"T""#, with: #""title":7,"type":"message""#)
    )
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix(field), "\(fault.detail)")
  }

  @Test(arguments: [
    (DeadReason.invalidJSON, "not json"), (.invalidJSON, ""), (.invalidJSON, "{"),
    (.invalidEvent, "null"), (.invalidEvent, "[]"), (.invalidEvent, "\"text\""),
    (.invalidEvent, "{}"), (.invalidEvent, #"{"type":null}"#), (.invalidEvent, #"{"type":1}"#),
    (.unsupportedVersion, #"{"v":2,"type":"message"}"#), (.invalidEvent, #"{"v":"1"}"#),
    (.unknownType, #"{"type":"massage"}"#), (.unknownApp, #"{"type":"message","app":"x"}"#),
    (.noTargets, #"{"type":"message","title":"T"}"#),
    (.noTargets, #"{"type":"message","title":"T","devices":[]}"#),
    (.noTargets, #"{"type":"message","title":"T","recipients":[{"devices":[]}]}"#),
    (.itemTooLarge, String(repeating: "[", count: 10_000)),
    (.itemTooLarge, #"{"type":"sync","data":{"n":1\#(String(repeating: "0", count: 1_000))}}"#),
  ])
  func `an item that is no event has its reason`(reason: DeadReason, text: String) throws {
    #expect(try fixture.fault(text).reason == reason)
  }

  @Test func `a fault keeps what names the event`() throws {
    let fault = try fixture.fault(
      #"{"id":"e9","type":"message","app":"chat","badge":"3","title":"T"}"#)
    #expect(fault.id == "e9")
    #expect(fault.app == "chat")
    #expect(fault.type == "message")
    #expect(try fixture.fault("nothing").id == "q-1")
  }

  @Test func `with several apps an event must name one`() throws {
    let fixture = CodecFixture { $0.apps.append(AppRules(name: "meals")) }
    let text = CodecFixture.event(#""type":"notice","title":"T""#, CodecFixture.iphone)
    #expect(try fixture.fault(text).reason == .unknownApp)
    let named = CodecFixture.event(
      #""type":"notice","title":"T","app":"chat""#, CodecFixture.iphone)
    #expect(try fixture.event(named).appName == "chat")
  }

  @Test(arguments: [
    #""type":"message","title":"a","title":"b""#, #""type":"message","type":"message""#,
    #""type":"message","title":"a","x":1,"x":2"#, #""type":"sync","data":{"a":1,"a":1}"#,
    #""type":"sync","data":{"a":1,"\u0061":1}"#, #""type":"message","title":"a","\u0074itle":"b""#,
  ])
  func `a key given twice is a fault of the event`(fields: String) throws {
    let fault = try fixture.fault(CodecFixture.event(fields, CodecFixture.iphone))
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.contains("given twice"))
  }

  @Test func `null means absent, and unknown fields are counted`() throws {
    let event = try fixture.event(
      CodecFixture.event(
        #""type":"notice","title":"T","badge":null,"app":null,"future":1,"v":1"#,
        CodecFixture.iphone))
    #expect(event.unknownFields == 1)
  }

  @Test func `too many devices or bytes are too large`() throws {
    let fixture = CodecFixture {
      $0.limits.devices = 2
      $0.limits.itemBytes = 1_000
    }
    let devices = CodecFixture.android
    let three = CodecFixture.event(#""type":"sync""#, devices, devices, devices)
    #expect(try fixture.fault(three).reason == .itemTooLarge)
    let long = CodecFixture.event(
      #""type":"notice","title":"\#(String(repeating: "x", count: 1_000))""#, devices)
    #expect(try fixture.fault(long).reason == .itemTooLarge)
  }

  @Test func `an event with nothing to show and nothing to do is refused`() throws {
    let empty = CodecFixture.event(#""type":"message","sender":{"id":1}"#, CodecFixture.iphone)
    #expect(try fixture.fault(empty).reason == .invalidEvent)
    let data = CodecFixture.event(#""type":"message","data":{"a":1}"#, CodecFixture.iphone)
    #expect(try fixture.request(data).pushType == .background)
  }

  @Test func `a fault in a device or a recipient stops only that`() throws {
    let text = #"""
      {"type":"notice","title":"T","recipients":[
        {"user":"u1","badge":"x","devices":[\#(CodecFixture.iphone),\#(CodecFixture.android)]},
        {"user":"u2","devices":[\#(CodecFixture.iphone),{"platform":"pager","token":"x"},5]},
        7,
        {"user":"u3","user":"u4","devices":[\#(CodecFixture.android)]},
        {"devices":{}},
        {"data":{"a":1,"a":2},"devices":[\#(CodecFixture.android)]}]}
      """#
    let event = try fixture.event(text)
    let details = (0..<event.targetCount).map { event.fault(of: $0)?.detail ?? "" }
    let starts = [
      "recipients[0].badge", "recipients[0].badge", "", "recipients[1].devices[1].platform",
      "recipients[1].devices[2]", "recipients[2]", "recipients[3]", "recipients[4].devices",
      "recipients[5].data",
    ]
    #expect(details.count == starts.count)
    for (detail, start) in zip(details, starts) {
      #expect(start.isEmpty ? detail.isEmpty : detail.hasPrefix(start), "\(detail)")
    }
  }
}
