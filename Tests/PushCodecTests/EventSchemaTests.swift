import Foundation
import Testing

@testable import PushCodec

/// docs/event.schema.json says what the decoder does, as far as a schema can.
@Suite struct EventSchemaTests {
  private let fixture = CodecFixture()
  private let schema: SchemaChecker

  init() throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../docs/event.schema.json").standardizedFileURL
    schema = try SchemaChecker([UInt8](Data(contentsOf: file)))
  }

  /// True when the event goes to every device it names.
  private func decodes(_ event: String) -> Bool {
    switch fixture.decode(event) {
    case .malformed: return false
    case .event(let event):
      defer { fixture.codec.recycle(event) }
      return (0..<event.targetCount).allSatisfy { event.fault(of: $0) == nil }
    }
  }

  private static let device = #""devices":[{"platform":"ios","token":"\#(CodecFixture.tokenA)"}]"#

  @Test(arguments: [
    #"{"type":"notice","title":"T",\#(device)}"#,
    #"{"v":1,"id":"e","type":"notice","title":"T","app":"chat","sentAt":1764489600.25,\#(device)}"#,
    #"{"type":"message","room":{"id":1,"name":"R"},"sender":{"id":"s"},"message":{"text":"x"},\#(device)}"#,
    #"{"type":"read","recipients":[{"user":"u","badge":0,"lastReadId":9,\#(device)},{"user":"v"}]}"#,
    #"{"type":"notice","body":"B","topic":"news"}"#,
    #"{"type":"notice","body":"B","condition":"'a' in topics || 'b' in topics","devices":null}"#,
    #"{"type":"sync","data":{"n":1,"o":{"aps":1}},"ttl":0,"expiresAt":null,\#(device)}"#,
    #"{"type":"notice","title":"T","sound":{"name":"a.caf","critical":true,"volume":0.5},\#(device)}"#,
    #"{"type":"notice","title":"T","sound":false,"relevanceScore":1,\#(device)}"#,
    #"{"type":"call","sender":{"name":"S"},"devices":[{"platform":"ios","voipToken":"ab"}]}"#,
    #"{"type":"sync","liveActivity":{"event":"end","dismissalDate":1764489700},"relevanceScore":80,"devices":[{"platform":"ios","liveActivityToken":"ab"}]}"#,
    #"{"type":"sync","liveActivity":{"event":"start","contentState":{},"attributesType":"A","attributes":{},"alert":{"title":"x"}},"devices":[{"platform":"ios","liveActivityToken":"ab"}]}"#,
    #"{"type":"notice","title":"T","apns":{"headers":{"apns-priority":5,"x-y":"z"},"payload":{"aps":{}}},"fcm":{"android":{"ttl":"5s"}},\#(device)}"#,
  ])
  func `an event that is sent fits the schema`(event: String) throws {
    #expect(decodes(event))
    #expect(try schema.accepts(event))
  }

  @Test(arguments: [
    "[]", "{}", #"{"type":"notice","title":"T"}"#, #"{"type":"notice","title":"T","devices":[]}"#,
    #"{"type":"notice","title":"T","recipients":[{"devices":[]}]}"#,
    #"{"type":"notice","title":"T","devices":[{"platform":"ios"}]}"#,
    #"{"type":"notice","title":"T","devices":[{"platform":"ios","token":" "}]}"#,
    #"{"type":"notice","title":"T","topic":"a b"}"#, #"{"type":"notice","title":"T","topic":""}"#,
    #"{"type":"notice","title":"T","condition":"a in topics"}"#,
    #"{"type":"notice","title":"T","topic":"a","condition":"'a' in topics"}"#,
    #"{"type":"notice","title":"T","topic":"a",\#(device)}"#,
    #"{"type":"notice","title":"T","recipients":[],\#(device)}"#,
    #"{"type":"notice","title":"T","recipients":[{\#(device)}],"user":"u"}"#,
    #"{"type":"notice","title":"T","ttl":1,"expiresAt":1764490000,\#(device)}"#,
    #"{"type":"sync","liveActivity":{"event":"update"},"devices":[{"platform":"ios","liveActivityToken":"ab"}]}"#,
    #"{"type":"sync","liveActivity":{"event":"start","contentState":{},"attributesType":"A","attributes":{}},"devices":[{"platform":"ios","liveActivityToken":"ab"}]}"#,
    #"{"type":"sync","data":{"aps":{}},\#(device)}"#,
    #"{"type":"notice","title":"T","apns":{"headers":{"host":"x"}},\#(device)}"#,
    #"{"type":"notice","title":"T","fcm":{"topic":"x"},\#(device)}"#,
  ])
  func `an event that is refused for its shape does not fit`(event: String) throws {
    #expect(!decodes(event))
    #expect(try !schema.accepts(event))
  }

  @Test(arguments: [
    #"{"type":"massage","title":"T",\#(device)}"#,
    #"{"type":"notice","app":"other","title":"T",\#(device)}"#,
    #"{"type":"notice","title":"T","title":"U",\#(device)}"#,
    #"{"type":"notice","title":"T","badge":1.0,\#(device)}"#,
    #"{"type":"message",\#(device)}"#,
    #"{"type":"notice","title":"T","notBefore":1800000000,\#(device)}"#,
    #"{"type":"notice","title":"T","devices":[{"platform":"ios","voipToken":"ab"}]}"#,
    #"{"type":"notice","title":"T","devices":[{"provider":"apns","token":"xyz"}]}"#,
    #"{"type":"notice","title":"T","fcm":{"toen":"x"},\#(device)}"#,
  ])
  func `what only the worker knows fits the schema and is refused`(event: String) throws {
    #expect(!decodes(event))
    #expect(try schema.accepts(event))
  }

  /// One value of each kind, and numbers at the edges of the contract.
  private static let values = [
    "null", "true", "false", #""""#, #"" ""#, #""x""#, #""high""#, #""ios""#, "0", "1", "-1",
    "1.5", "2147483647", "2147483648", "2592000", "2592001", "1764489600", "1764489600123", "[]",
    #"["x",1]"#, "[{}]", "[null]", "{}", #"{"x":1}"#, #"{"id":1.5}"#, #"{"event":"end"}"#,
  ]

  /// Refused for reasons that a schema cannot know.
  private static let exceptions: Set<String> = [
    #"type="x""#, #"type="high""#, #"type="ios""#, #"type=" ""#, #"app="""#, #"app=" ""#,
    #"app="x""#, #"app="high""#, #"app="ios""#, #"fcm={"x":1}"#, #"fcm={"id":1.5}"#,
    #"fcm={"event":"end"}"#, #"liveActivity={"event":"end"}"#, "notBefore=2147483647",
    "notBefore=2147483648",
  ]

  @Test func `each field of an event takes the same values in both`() throws {
    let base = [
      ("type", #""notice""#), ("title", #""T""#), ("body", #""B""#),
      ("devices", "[\(CodecFixture.iphone)]"),
    ]
    try compare("#", base) { $0 }
  }

  @Test func `each field of a recipient takes the same values in both`() throws {
    try compare("#/$defs/recipient", [("devices", "[\(CodecFixture.iphone)]")]) {
      #"{"type":"notice","title":"T","recipients":[\#($0),{"devices":[\#(CodecFixture.android)]}]}"#
    }
  }

  @Test func `each field of a device takes the same values in both`() throws {
    let base = [("platform", #""ios""#), ("token", "\"\(CodecFixture.tokenA)\"")]
    try compare("#/$defs/device", base) { #"{"type":"notice","title":"T","devices":[\#($0)]}"# }
  }

  /// Sets every field that the schema lists to every value, and asks both.
  private func compare(
    _ place: String, _ base: [(String, String)], _ event: (String) -> String
  ) throws {
    for field in try schema.properties(at: place) {
      for value in Self.values where !Self.exceptions.contains("\(field)=\(value)") {
        let members = base.filter { $0.0 != field } + [(field, value)]
        let text = event("{" + members.map { "\"\($0.0)\":\($0.1)" }.joined(separator: ",") + "}")
        #expect(try schema.accepts(text) == decodes(text), "\(text)")
      }
    }
  }
}
