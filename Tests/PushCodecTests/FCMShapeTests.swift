import Testing

@testable import PushCodec

@Suite struct FCMShapeTests {
  /// Fields of an older revision that servers still take.
  private static let older: Set<String> = ["android.notification.bypass_proxy_notification"]

  @Test func `the table has every field of the discovery document with its type`() {
    #expect(DiscoveryChecker.schemas.count == 17)
    Self.compare(FCMShape.message, "Message", "")
  }

  private static func compare(_ shape: FCMShape, _ schema: String, _ path: String) {
    guard case .object(let fields) = shape else {
      Issue.record("\(path) is no object")
      return
    }
    let known = DiscoveryChecker.schemas[schema] ?? [:]
    let names = Set(known.keys.map(DiscoveryChecker.snake))
    for name in Set(fields.keys).symmetricDifference(names) where !older.contains(path + name) {
      Issue.record("\(path)\(name) is on one side only")
    }
    for (name, type) in known {
      let snake = DiscoveryChecker.snake(name)
      guard let field = fields[snake] else { continue }
      let parts = type.split(separator: ":", maxSplits: 1).map(String.init)
      if parts[0] == "ref" {
        compare(field, parts[1], "\(path)\(snake).")
      } else {
        #expect(Self.word(field, type), "\(path)\(snake)")
      }
    }
  }

  private static func word(_ shape: FCMShape, _ type: String) -> Bool {
    switch shape {
    case .string: type == "string"
    case .bool: type == "boolean"
    case .int: type == "int32"
    case .float: type == "float"
    case .duration: type == "google-duration"
    case .timestamp: type == "google-datetime"
    case .choice(let all):
      type == "enum:" + all.filter { $0 == $0.uppercased() }.joined(separator: ",")
    case .strings: type == "array:string"
    case .durations: type == "array:google-duration"
    case .stringMap: type == "map:string"
    case .object, .free: type == "map:any"
    }
  }
}
