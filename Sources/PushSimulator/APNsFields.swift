import HTTP2

/// The header fields of one APNs request, found in one pass (protocol/apns.md 3).
struct APNsFields {
  typealias Value = Range<Int>

  var method: Value?
  var path: Value?
  var authorization: Value?
  var topic: Value?
  var pushType: Value?
  var id: Value?
  var priority: Value?
  var expiration: Value?
  var collapseID: Value?
  /// One of the above came twice.
  var isDoubled = false

  init() {}

  init(_ stream: ServerStream) {
    let text = stream.text
    for field in stream.fields { take(field, of: text) }
  }

  /// Names are told apart by length first, so that each is compared with one or two.
  private mutating func take(_ field: ServerStream.Field, of text: [UInt8]) {
    func isNamed(_ name: [UInt8]) -> Bool { Bytes.areEqual(text[field.name], name) }
    switch field.name.count {
    case 5 where isNamed(Name.path): Self.set(&path, field.value, &isDoubled)
    case 7 where isNamed(Name.method): Self.set(&method, field.value, &isDoubled)
    case 7 where isNamed(Name.id): Self.set(&id, field.value, &isDoubled)
    case 10 where isNamed(Name.topic): Self.set(&topic, field.value, &isDoubled)
    case 13 where isNamed(Name.priority): Self.set(&priority, field.value, &isDoubled)
    case 13 where isNamed(Name.authorization): Self.set(&authorization, field.value, &isDoubled)
    case 14 where isNamed(Name.pushType): Self.set(&pushType, field.value, &isDoubled)
    case 15 where isNamed(Name.expiration): Self.set(&expiration, field.value, &isDoubled)
    case 16 where isNamed(Name.collapseID): Self.set(&collapseID, field.value, &isDoubled)
    default: break
    }
  }

  private static func set(_ place: inout Value?, _ value: Value, _ isDoubled: inout Bool) {
    if place != nil { isDoubled = true }
    place = value
  }
}

private enum Name {
  static let path = Array(":path".utf8)
  static let method = Array(":method".utf8)
  static let id = Array("apns-id".utf8)
  static let topic = Array("apns-topic".utf8)
  static let priority = Array("apns-priority".utf8)
  static let authorization = Array("authorization".utf8)
  static let pushType = Array("apns-push-type".utf8)
  static let expiration = Array("apns-expiration".utf8)
  static let collapseID = Array("apns-collapse-id".utf8)
}
