import PushModel
import Testing

@testable import PushCodec

@Suite struct CollapseTests {
  private let fixture = CodecFixture()

  private func request(_ key: String, _ device: String = CodecFixture.iphone) throws
    -> PushRequest
  {
    try fixture.request(
      CodecFixture.event(#""type":"notice","title":"T","collapseKey":"\#(key)""#, device))
  }

  @Test func `BR-08 control characters and blanks at an end never reach a header`() throws {
    for key in [#"a\nb"#, #"a\u0000"#, " a", "a ", #"\ta"#, "a\u{7F}"] {
      let request = try request(key)
      #expect(request.collapseID.count == 32)
      #expect(request.collapseID.allSatisfy { JSONEscape.hexValue($0) != nil })
    }
    #expect(try request("a b").collapseText == "a b")
  }

  @Test func `BR-08 long ids that begin alike stay different, and the same again`() throws {
    let head = String(repeating: "k", count: 64)
    let one = try request(head + "000001")
    let two = try request(head + "000002")
    #expect(one.collapseID != two.collapseID)
    #expect(try request(head + "000001").collapseID == one.collapseID)
  }

  @Test func `no collapse header unless the event asks`() throws {
    let request = try fixture.request(
      CodecFixture.event(#""type":"notice","title":"T","room":{"id":1}"#, CodecFixture.iphone))
    #expect(request.collapseID.isEmpty)
    let relayed = try fixture.request(
      CodecFixture.event(#""type":"notice","title":"T","collapseKey":"""#, CodecFixture.relayed))
    #expect(!relayed.text.contains("collapse"))
  }

  @Test func `behind FCM the id is a header, and collapse_key needs the setting`() throws {
    #expect(try request("k1", CodecFixture.relayed).text.contains(#""apns-collapse-id":"k1""#))
    let fixture = CodecFixture { $0.apps[0].fcm?.collapse = true }
    let text = try fixture.request(
      CodecFixture.event(#""type":"notice","title":"T","collapseKey":"k1""#, CodecFixture.android)
    ).text
    #expect(text.contains(#""collapse_key":"k1""#))
    #expect(text.contains(#""tag":"k1""#))
    #expect(try self.request("k1", CodecFixture.browser).text.contains(#""tag":"k1""#))
  }
}
