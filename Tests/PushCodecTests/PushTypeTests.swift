import PushModel
import Testing

@testable import PushCodec

@Suite struct PushTypeTests {
  private let fixture = CodecFixture()

  private func request(_ fields: String, _ device: String = CodecFixture.iphone) throws
    -> PushRequest
  {
    try fixture.request(CodecFixture.event(fields, device))
  }

  @Test(arguments: [
    (PushType.alert, ""), (.background, ""), (.complication, ".complication"),
    (.controls, ".push-type.controls"), (.fileprovider, ".pushkit.fileprovider"),
    (.location, ".location-query"), (.pushtotalk, ".voip-ptt"), (.widgets, ".push-type.widgets"),
    (.mdm, ""),
  ])
  func `each push type has its topic`(type: PushType, suffix: String) throws {
    let text = type == .background ? "" : #""title":"T","#
    let request = try request(
      #""type":"sync",\#(text)"pushType":"\#(type.rawValue)","data":{"mdm":"magic"}"#)
    #expect(request.pushType == type)
    #expect(request.topicText == "com.example.chat" + suffix)
  }

  @Test func `voip and Live Activity use tokens of their own`() throws {
    let voip = try request(#""type":"call","pushType":"voip""#, CodecFixture.caller)
    #expect(voip.topicText == "com.example.chat.voip")
    let fault = try fixture.failure(
      CodecFixture.event(#""type":"call","pushType":"voip""#, CodecFixture.iphone))
    #expect(fault.detail.hasPrefix("devices[0].voipToken"))
  }

  @Test func `the suffix stands once`() throws {
    let device = #"{"platform":"ios","voipToken":"bb","apnsTopic":"com.example.chat.voip"}"#
    #expect(try request(#""type":"call""#, device).topicText == "com.example.chat.voip")
  }

  @Test func `widgets and controls say that content changed and nothing else`() throws {
    for type in ["widgets", "controls"] {
      let request = try request(#""type":"sync","pushType":"\#(type)""#)
      #expect(request.text == #"{"aps":{"content-changed":true}}"#)
    }
  }

  @Test func `mdm and fileprovider carry the producer's data alone`() throws {
    let mdm = try request(#""type":"sync","pushType":"mdm","data":{"mdm":"magic"}"#)
    #expect(mdm.text == #"{"mdm":"magic"}"#)
    let missing = try fixture.failure(
      CodecFixture.event(#""type":"sync","pushType":"mdm""#, CodecFixture.iphone))
    #expect(missing.detail.hasPrefix("data.mdm"))
    let file = try request(
      #""type":"sync","pushType":"fileprovider","data":{"container-identifier":"c","domain":"d"}"#)
    #expect(file.text == #"{"container-identifier":"c","domain":"d"}"#)
  }

  @Test func `BR-10 background has priority 5 whatever was asked`() throws {
    for priority in [#""priority":"high","#, #""priority":"low","#, ""] {
      let request = try request(#""type":"sync",\#(priority)"contentAvailable":true"#)
      #expect(request.pushType == .background)
      #expect(request.priority == 5)
      #expect(request.text.hasPrefix(#"{"aps":{"content-available":1}"#))
    }
    let withText = try request(#""type":"message","title":"T","contentAvailable":true"#)
    #expect(withText.pushType == .alert)
    #expect(withText.priority == 10)
    #expect(withText.text.contains(#""content-available":1"#))
    let block = try request(#""type":"sync","apns":{"headers":{"apns-priority":"10"}}"#)
    #expect(block.priority == 5)
  }

  @Test func `BR-10 mutableContent without text is left out and noted`() throws {
    let built = try fixture.built(
      CodecFixture.event(#""type":"sync","mutableContent":true"#, CodecFixture.iphone))
    #expect(!built.request.text.contains("mutable-content"))
    #expect(built.notes.changes.contains(.mutableContent))
  }

  @Test func `BR-05 badge 0 clears, an absent one leaves, false flags send no key`() throws {
    let zero = try request(#""type":"message","badge":0"#)
    #expect(zero.pushType == .alert)
    #expect(zero.priority == 5)
    #expect(zero.text == #"{"aps":{"badge":0},"type":"chat"}"#)
    let none = try request(
      #""type":"message","title":"T","contentAvailable":false,"mutableContent":false"#)
    for key in ["badge", "content-available", "mutable-content"] {
      #expect(!none.text.contains(key))
    }
    let android = try request(#""type":"message","title":"T","badge":0"#, CodecFixture.android)
    #expect(android.text.contains(#""notification_count":0"#))
  }

  @Test func `a badge or a sound alone is an alert of priority 5 unless asked otherwise`() throws {
    #expect(try request(#""type":"message","sound":"a.caf""#).priority == 5)
    #expect(try request(#""type":"message","badge":1,"priority":"high""#).priority == 10)
    #expect(try request(#""type":"sync","badge":1"#).text.contains("content-available") == false)
  }

  @Test func `a silent type with text becomes an alert`() throws {
    let request = try request(#""type":"sync","title":"T""#)
    #expect(request.pushType == .alert)
    #expect(request.text.contains(#""alert":{"title":"T"}"#))
  }

  @Test func `sounds are names, dictionaries for critical alerts, or none`() throws {
    func sound(_ json: String) throws -> String {
      try request(#""type":"notice","title":"T","sound":\#(json)"#).text
    }
    #expect(try sound(#""bell.caf""#).contains(#""sound":"bell.caf""#))
    #expect(try !sound("false").contains("sound"))
    #expect(
      try sound(#"{"name":"bell.caf","critical":true,"volume":0.5}"#)
        .contains(#""sound":{"critical":1,"name":"bell.caf","volume":0.5}"#))
    #expect(
      try sound(#"{"critical":true}"#).contains(#""sound":{"critical":1,"name":"default"}"#))
    #expect(try sound(#"{"name":"bell.caf"}"#).contains(#""sound":"bell.caf""#))
  }

  @Test func `a channel may silence or change the sound on iOS alone`() throws {
    let fixture = CodecFixture {
      $0.apps[0].channels["daily_menu"] = AppRules.ChannelRules(.none)
      $0.apps[0].channels["alarm"] = AppRules.ChannelRules(.named("siren.caf"))
    }
    func text(_ channel: String, _ device: String, _ more: String = "") throws -> String {
      try fixture.request(
        CodecFixture.event(
          #""type":"notice","title":"T","channel":"\#(channel)"\#(more)"#, device)
      ).text
    }
    #expect(try !text("daily_menu", CodecFixture.iphone).contains("sound"))
    #expect(try !text("daily_menu", CodecFixture.relayed).contains("sound"))
    #expect(try text("alarm", CodecFixture.iphone).contains(#""sound":"siren.caf""#))
    #expect(
      try text("daily_menu", CodecFixture.android)
        .contains(#""notification":{"channel_id":"daily_menu","sound":"default"}"#))
    #expect(
      try text("daily_menu", CodecFixture.iphone, #","sound":"own.caf""#)
        .contains(#""sound":"own.caf""#))
  }

  @Test func `everything that an alert can carry`() throws {
    let request = try request(
      #"""
      "type":"notice","title":"T","subtitle":"S","body":"B","badge":3,"threadId":"t",\#
      "category":"c","mutableContent":true,"interruptionLevel":"passive","relevanceScore":0.75,\#
      "targetContentId":"w","filterCriteria":"f","contentAvailable":true
      """#)
    #expect(
      request.text == #"""
        {"aps":{"alert":{"title":"T","subtitle":"S","body":"B"},"badge":3,"sound":"default",\#
        "content-available":1,"thread-id":"t","category":"c","mutable-content":1,\#
        "interruption-level":"passive","relevance-score":0.75,"target-content-id":"w",\#
        "filter-criteria":"f"},"type":"notice"}
        """#)
  }

  @Test func `localised texts go out as keys, numbers in their arguments as strings`() throws {
    let fields = #"""
      "type":"message","room":{"name":"R"},"titleLocKey":"TK","titleLocArgs":["a"],\#
      "locKey":"BK","locArgs":["Kim",3,"\u00e9"]
      """#
    #expect(
      try request(fields).text.contains(
        #"""
        "alert":{"title-loc-key":"TK","title-loc-args":["a"],"loc-key":"BK",\#
        "loc-args":["Kim","3","é"]}
        """#))
    #expect(
      try request(fields, CodecFixture.android).text.contains(
        #"""
        "notification":{"sound":"default","title_loc_key":"TK","title_loc_args":["a"],\#
        "body_loc_key":"BK","body_loc_args":["Kim","3","é"]}
        """#))
  }

  @Test func `what does not go through FCM to an iPhone is refused`() throws {
    for type in ["voip", "location", "widgets", "mdm"] {
      let fault = try fixture.failure(
        CodecFixture.event(#""type":"sync","pushType":"\#(type)""#, CodecFixture.relayed))
      #expect(fault.detail.contains("does not go through FCM"))
    }
    let call = try request(#""type":"call","sender":{"name":"K"}"#, CodecFixture.relayed)
    #expect(call.text.contains(#""apns-push-type":"alert""#))
  }
}

@Suite struct LiveActivityTests {
  private let fixture = CodecFixture()
  private let device = #"{"platform":"ios","token":"aa","liveActivityToken":"cc00"}"#

  @Test func `an update goes to the activity's token with the attempt's time`() throws {
    let text = CodecFixture.event(
      #"""
      "type":"notice","title":"T","liveActivity":{"event":"update",\#
      "contentState":{"health":0.0,"none":null,"list":[1, null]},"staleDate":1764490000}
      """#, device)
    let request = try fixture.request(text)
    #expect(request.pushType == .liveactivity)
    #expect(request.topicText == "com.example.chat.push-type.liveactivity")
    #expect(request.deviceToken == [UInt8]("cc00".utf8))
    #expect(request.priority == 5)
    #expect(
      request.text == #"""
        {"aps":{"timestamp":1764489601,"event":"update",\#
        "content-state":{"health":0.0,"list":[1,null]},"stale-date":1764490000,\#
        "alert":{"title":"T"}}}
        """#)
  }

  @Test func `a start carries its attributes and alert`() throws {
    let text = CodecFixture.event(
      #"""
      "type":"message","liveActivity":{"event":"start","contentState":{"a":1},\#
      "attributesType":"Ride","attributes":{"id":"r1"},"timestamp":1764489500,\#
      "alert":{"title":{"loc-key":"K","loc-args":["x"]},"body":"B","sound":"s.caf"}}
      """#, device)
    #expect(
      try fixture.request(text).text == #"""
        {"aps":{"timestamp":1764489500,"event":"start","content-state":{"a":1},\#
        "attributes-type":"Ride","attributes":{"id":"r1"},\#
        "alert":{"title":{"loc-key":"K","loc-args":["x"]},"body":"B","sound":"s.caf"}}}
        """#)
  }

  @Test func `behind FCM the activity's token goes beside the device's`() throws {
    let device = #"{"platform":"ios","token":"x:y","liveActivityToken":"cc00"}"#
    let fixture = CodecFixture(without: [
      CredentialKey(app: "chat", provider: .apns),
      CredentialKey(app: "chat", provider: .apns, environment: .sandbox),
    ])
    let text = CodecFixture.event(
      #""type":"notice","title":"T","liveActivity":{"event":"end","dismissalDate":1764489700}"#,
      device)
    let body = try fixture.request(text).text
    #expect(body.contains(#""token":"x:y""#))
    #expect(body.contains(#""live_activity_token":"cc00""#))
    #expect(body.contains(#""apns-push-type":"liveactivity""#))
  }

  @Test func `a device without the token is stopped`() throws {
    let fault = try fixture.failure(
      CodecFixture.event(
        #""type":"notice","title":"T","liveActivity":{"event":"end"}"#, CodecFixture.iphone))
    #expect(fault.detail.hasPrefix("devices[0].liveActivityToken: required"))
  }
}
