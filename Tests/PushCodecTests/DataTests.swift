import PushModel
import Testing

@testable import PushCodec

@Suite struct DataTests {
  private let fixture = CodecFixture()

  private func text(_ fields: String, _ device: String) throws -> String {
    try fixture.request(CodecFixture.event(fields, device)).text
  }

  @Test func `BR-06 FCM data is strings: digits kept, nested values as JSON, null left out`() throws
  {
    let fields = #"""
      "type":"sync","data":{"count":1,"ok":true,"ratio":1.5,"big":9007199254740993,"none":null,\#
      "room":{"id":"r1", "tags":["a"]},"s":"x","e":"a\u0022\/\n"}
      """#
    let data = #"""
      "data":{"type":"sync","count":"1","ok":"true","ratio":"1.5","big":"9007199254740993",\#
      "room":"{\"id\":\"r1\",\"tags\":[\"a\"]}","s":"x","e":"a\"/\n"}
      """#
    #expect(try text(fields, CodecFixture.android).contains(data))
    #expect(try text(fields, CodecFixture.relayed).contains(data))
    #expect(
      try text(fields, CodecFixture.iphone) == #"""
        {"aps":{"content-available":1},"type":"sync","count":1,"ok":true,"ratio":1.5,\#
        "big":9007199254740993,"none":null,"room":{"id":"r1","tags":["a"]},"s":"x",\#
        "e":"a\"/\n"}
        """#)
  }

  @Test func `BR-12 numbers and booleans reach both providers unchanged`() throws {
    let numbers = #"""
      "id":1000000000000000001,"u":18446744073709551615,"over":18446744073709551616,\#
      "neg":-9223372036854775808,"p53":9007199254740993,"t":true,"f":false,"one":1,"zero":0,\#
      "d":1.0,"e":1e3,"price":0.1,"minus":-0
      """#
    #expect(
      try text(#""type":"sync","data":{\#(numbers)}"#, CodecFixture.iphone)
        == #"{"aps":{"content-available":1},"type":"sync",\#(numbers)}"#)
    let strings = numbers.split(separator: ",").map { member in
      let parts = member.split(separator: ":")
      return #"\#(parts[0]):"\#(parts[1])""#
    }
    #expect(
      try text(#""type":"sync","data":{\#(numbers)}"#, CodecFixture.android)
        .contains(strings.joined(separator: ",")))
  }

  @Test(arguments: [
    "from", "message_type", "google.x", "gcm.notification.title", "gcm", "googleFoo",
  ])
  func `keys reserved by FCM stop FCM targets alone`(key: String) throws {
    let fields = #""type":"sync","data":{"\#(key)":"1"}"#
    let fault = try fixture.failure(CodecFixture.event(fields, CodecFixture.android))
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix("data.\(key)"))
    #expect(try text(fields, CodecFixture.iphone).contains(#""\#(key)":"1""#))
    let own = #"""
      {"type":"sync","recipients":[{"data":{"\#(key)":1},"devices":[\#(CodecFixture.android)]}]}
      """#
    #expect(try fixture.failure(own).detail.hasPrefix("data.\(key)"))
  }

  @Test(arguments: ["collapse_key", "body", "title", "key", "From_id"])
  func `other keys pass`(key: String) throws {
    let fields = #""type":"sync","data":{"\#(key)":"1"}"#
    #expect(try text(fields, CodecFixture.android).contains(#""\#(key)":"1""#))
  }

  @Test func `the event's own keys win over the type's, under whatever name`() throws {
    let fixture = CodecFixture { $0.apps[0].dataKeys.room = "roomId" }
    let fields = #""type":"sync","room":{"id":4},"data":{"type":"own","roomId":"mine"}"#
    let text = try fixture.request(CodecFixture.event(fields, CodecFixture.iphone)).text
    #expect(text == #"{"aps":{"content-available":1},"type":"own","roomId":"mine"}"#)
  }

  @Test func `style data has the texts in data and no notification anywhere`() throws {
    let fixture = CodecFixture { $0.apps[0].androidStyle = .data }
    let fields = #"""
      "type":"notice","title":"Menu","body":"Soup","url":"https://e.com/m","collapseKey":"menu",\#
      "channel":"daily_menu","image":"https://e.com/i.png"
      """#
    let android = try fixture.request(CodecFixture.event(fields, CodecFixture.android)).text
    #expect(
      android == #"""
        {"message":{"token":"fInv1:APA91bINVENTED0001","data":{"title":"Menu","body":"Soup",\#
        "tag":"menu","image":"https://e.com/i.png","type":"notice","url":"https://e.com/m",\#
        "channel":"daily_menu"},"android":{"priority":"NORMAL","ttl":"259199s"}}}
        """#)
    let own = fields + #","data":{"title":"Mine"}"#
    let text = try fixture.request(CodecFixture.event(own, CodecFixture.android)).text
    #expect(text.contains(#""title":"Mine""#))
    #expect(!text.contains(#""title":"Menu""#))
  }

  @Test func `an image reaches each platform in its place`() throws {
    let fields = #"""
      "type":"message","sender":{"name":"K","image":"https://e.com/k.png"},\#
      "message":{"text":"Hi"},"image":"https://e.com/i.png"
      """#
    let apns = try text(fields, CodecFixture.iphone)
    #expect(apns.contains(#""image":"https://e.com/i.png","senderImage":"https://e.com/k.png""#))
    let android = try text(fields, CodecFixture.android)
    #expect(
      android.contains(
        #""notification":{"title":"K","body":"Hi","image":"https://e.com/i.png"}"#))
    let relayed = try text(fields, CodecFixture.relayed)
    #expect(relayed.contains(#""fcm_options":{"image":"https://e.com/i.png"}"#))
    let web = try text(fields, CodecFixture.browser)
    #expect(
      web.contains(
        #""body":"Hi","icon":"https://e.com/k.png","image":"https://e.com/i.png"}"#))
  }

  @Test func `a topic gets all three blocks`() throws {
    let text = #"{"type":"notice","title":"T","sentAt":1764489600,"topic":"news"}"#
    #expect(
      try fixture.request(text).text == #"""
        {"message":{"topic":"news","notification":{"title":"T"},"data":{"type":"notice"},\#
        "android":{"priority":"NORMAL","ttl":"259199s","notification":{"sound":"default"}},\#
        "apns":{"payload":{"aps":{"alert":{"title":"T"},"sound":"default"}},"headers":\#
        {"apns-push-type":"alert","apns-priority":"5","apns-expiration":"1764748800"}},\#
        "webpush":{"headers":{"TTL":"259199","Urgency":"normal"},\#
        "notification":{"title":"T"}}}}
        """#)
    let condition = #"{"type":"notice","title":"T","condition":"'a' in topics && 'b' in topics"}"#
    #expect(
      try fixture.request(condition).text.contains(
        #""condition":"'a' in topics && 'b' in topics""#))
  }

  @Test(arguments: [
    #""topic":"/topics/news""#, #""topic":"""#, #""topic":"a b""#, #""condition":"""#,
    #""topic":"a","condition":"'b' in topics""#,
    #""condition":"'a' in topics||'b' in topics||'c' in topics||'d' in topics||'e' in topics||'f' in topics""#,
  ])
  func `a topic FCM would refuse is refused here`(target: String) throws {
    let fault = try fixture.fault(#"{"type":"notice","title":"T",\#(target)}"#)
    #expect(fault.reason == .invalidEvent)
    #expect(fault.detail.hasPrefix("topic") || fault.detail.hasPrefix("condition"))
  }

  @Test func `escapes of a producer that writes ASCII become short UTF-8`() throws {
    let fields = #""type":"notice","title":"\ud55c\uae00","data":{"\u00e9":"\ud83d\ude00\u0000"}"#
    #expect(
      try text(fields, CodecFixture.iphone) == #"""
        {"aps":{"alert":{"title":"한글"},"sound":"default"},"type":"notice","é":"😀\u0000"}
        """#)
  }
}
