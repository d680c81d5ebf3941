import PushModel
import Testing

@testable import PushCodec

/// The `apns` and `fcm` blocks: merged last, checked anew.
@Suite struct BlockTests {
  private let fixture = CodecFixture()

  private func request(_ fields: String, _ device: String = CodecFixture.iphone) throws
    -> PushRequest
  {
    try fixture.request(CodecFixture.event(fields, device))
  }

  @Test func `a payload is merged over what was built`() throws {
    let fields = #"""
      "type":"notice","title":"T","badge":1,"data":{"a":{"b":1,"c":2}},"apns":{"payload":\#
      {"aps":{"badge":null,"sound":"x.caf","alert":{"body":"B"}},"a":{"b":null,"d":[null]}}}
      """#
    #expect(
      try request(fields).text == #"""
        {"aps":{"alert":{"title":"T","body":"B"},"sound":"x.caf"},"type":"notice",\#
        "a":{"c":2,"d":[null]}}
        """#)
    let relayed = try request(fields, CodecFixture.relayed).text
    #expect(
      relayed.contains(
        #"""
        "payload":{"aps":{"alert":{"title":"T","body":"B"},"sound":"x.caf"},"a":{"d":[null]}}
        """#))
  }

  @Test func `push type and priority follow the merged payload`() throws {
    let silent = try request(#""type":"sync","apns":{"payload":{"aps":{"alert":"Hi"}}}"#)
    #expect(silent.pushType == .alert)
    #expect(silent.priority == 5)
    let emptied = try request(
      #"""
      "type":"message","title":"T","apns":{"payload":{"aps":{"alert":null,"sound":null,\#
      "content-available":1}}}
      """#)
    #expect(emptied.pushType == .background)
    #expect(emptied.priority == 5)
    let nothing = try fixture.failure(
      CodecFixture.event(
        #""type":"message","title":"T","apns":{"payload":{"aps":null}}"#, CodecFixture.iphone))
    #expect(nothing.detail.hasPrefix("apns.payload"))
    let relayed = try request(
      #""type":"sync","apns":{"payload":{"aps":{"alert":"Hi"}}}"#, CodecFixture.relayed)
    #expect(relayed.text.contains(#""apns-push-type":"alert""#))
  }

  @Test func `headers have the last word`() throws {
    let fields = #"""
      "type":"notice","title":"T","collapseKey":"k","apns":{"headers":{"apns-priority":10,\#
      "APNS-Expiration":"0","apns-topic":"com.example.x","apns-collapse-id":"own","x-trace":"t"}}
      """#
    let request = try request(fields)
    #expect(request.priority == 10)
    #expect(request.expiration == 0)
    #expect(request.topicText == "com.example.x")
    #expect(request.collapseText == "own")
    #expect(request.extraHeaders.map { String(decoding: $0.name, as: UTF8.self) } == ["x-trace"])
    let relayed = try self.request(fields, CodecFixture.relayed).text
    #expect(
      relayed.contains(
        #"""
        "headers":{"apns-push-type":"alert","apns-priority":"10","apns-expiration":"0",\#
        "apns-collapse-id":"own","x-trace":"t"}
        """#))
  }

  @Test func `a push type in the headers chooses token and suffix`() throws {
    let fields = #""type":"notice","title":"T","apns":{"headers":{"apns-push-type":"voip"}}"#
    let request = try request(fields, CodecFixture.caller)
    #expect(request.pushType == .voip)
    #expect(request.topicText == "com.example.chat.voip")
    #expect(String(decoding: request.deviceToken, as: UTF8.self) == CodecFixture.tokenB)
  }

  @Test func `an fcm block in either spelling is merged in snake_case`() throws {
    let fields = #"""
      "type":"notice","title":"T","fcm":{"notification":{"image":"i"},"android":{"ttl":"60s",\#
      "restrictedPackageName":"p","notification":{"channelId":"c","notification_priority":\#
      "PRIORITY_MAX","vibrateTimings":["0.5s"]}},"data":{"k":"v","type":null},\#
      "fcmOptions":{"analyticsLabel":"l"}}
      """#
    #expect(
      try request(fields, CodecFixture.android).text == #"""
        {"message":{"token":"fInv1:APA91bINVENTED0001",\#
        "notification":{"title":"T","image":"i"},"data":{"k":"v"},\#
        "android":{"priority":"NORMAL","ttl":"60s","notification":{"sound":"default",\#
        "channel_id":"c","notification_priority":"PRIORITY_MAX","vibrate_timings":["0.5s"]},\#
        "restricted_package_name":"p"},"fcm_options":{"analytics_label":"l"}}}
        """#)
    // Free maps keep their keys.
    let web = try request(
      #""type":"notice","title":"T","fcm":{"webpush":{"notification":{"requireInteraction":true}}}"#,
      CodecFixture.browser)
    #expect(web.text.contains(#""requireInteraction":true"#))
  }

  @Test func `with androidV2 no android block is built`() throws {
    for name in ["androidV2", "android_v2"] {
      let text = try request(
        #""type":"notice","title":"T","fcm":{"\#(name)":{"backgroundSync":{}}}"#,
        CodecFixture.android
      ).text
      #expect(text.contains(#""androidV2":{"background_sync":{}}"#))
      #expect(!text.contains(#""android":"#))
    }
  }

  @Test func `an fcm block is measured too, and the text gives way`() throws {
    let long = String(repeating: "x", count: 3_900)
    let body = String(repeating: "y", count: 1_000)
    let fields = #""type":"notice","title":"T","body":"\#(body)","fcm":{"data":{"k":"\#(long)"}}"#
    let built = try fixture.built(CodecFixture.event(fields, CodecFixture.android))
    #expect(built.notes.changes.contains(.body))
    #expect(built.notes.bytes == 4_096)
  }

  @Test func `data alone to an iPhone behind FCM cannot have priority 10`() throws {
    let fields = #""type":"sync","fcm":{"apns":{"headers":{"apns-priority":"10"}}}"#
    let fault = try fixture.failure(CodecFixture.event(fields, CodecFixture.relayed))
    #expect(fault.detail.hasPrefix("fcm.apns.headers.apns-priority"))
  }

  /// The test cases of RFC 7396, appendix A.
  @Test(arguments: [
    (#"{"a":"b"}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"b"}"#, #"{"b":"c"}"#, #"{"a":"b","b":"c"}"#),
    (#"{"a":"b"}"#, #"{"a":null}"#, "{}"),
    (#"{"a":"b","b":"c"}"#, #"{"a":null}"#, #"{"b":"c"}"#),
    (#"{"a":["b"]}"#, #"{"a":"c"}"#, #"{"a":"c"}"#),
    (#"{"a":"c"}"#, #"{"a":["b"]}"#, #"{"a":["b"]}"#),
    (#"{"a":{"b":"c"}}"#, #"{"a":{"b":"d","c":null}}"#, #"{"a":{"b":"d"}}"#),
    (#"{"a":[{"b":"c"}]}"#, #"{"a":[1]}"#, #"{"a":[1]}"#),
    (#"["a","b"]"#, #"["c","d"]"#, #"["c","d"]"#),
    (#"{"a":"b"}"#, #"["c"]"#, #"["c"]"#), (#"{"a":"foo"}"#, "null", "null"),
    (#"{"a":"foo"}"#, #""bar""#, #""bar""#), (#"{"e":null}"#, #"{"a":1}"#, #"{"e":null,"a":1}"#),
    ("[1,2]", #"{"a":"b","c":null}"#, #"{"a":"b"}"#),
    ("{}", #"{"a":{"bb":{"ccc":null}}}"#, #"{"a":{"bb":{}}}"#),
  ])
  func `merging follows RFC 7396`(base: String, patch: String, result: String) throws {
    let base = try #require(JSONText([UInt8](base.utf8)))
    let patch = try #require(JSONText([UInt8](patch.utf8)))
    #expect(String(decoding: JSONMerge.merge(base, patch), as: UTF8.self) == result)
  }
}
