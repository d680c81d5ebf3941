/// What a field of an FCM message may hold (the types of protocol/fcm-v1-discovery.json).
indirect enum FCMShape {
  case string
  case boolean
  case int32
  case float
  /// `"3.5s"`.
  case duration
  /// RFC 3339.
  case timestamp
  /// One of these words, in upper or lower case; the type's name stands in the error.
  case enumeration(String, [String])
  /// Map of string to string.
  case strings
  /// Free JSON object.
  case anyObject
  case list(FCMShape)
  case message(FCMMessageShape)

  /// The name that Google's error texts give the type.
  var typeName: String {
    switch self {
    case .string, .strings: "TYPE_STRING"
    case .boolean: "TYPE_BOOL"
    case .int32: "TYPE_INT32"
    case .float: "TYPE_FLOAT"
    case .duration: "type.googleapis.com/google.protobuf.Duration"
    case .timestamp: "type.googleapis.com/google.protobuf.Timestamp"
    case .enumeration(let name, _): "type.googleapis.com/google.firebase.fcm.v1.\(name)"
    case .anyObject: "type.googleapis.com/google.protobuf.Struct"
    case .list(let element): element.typeName
    case .message(let shape): "type.googleapis.com/google.firebase.fcm.v1.\(shape.name)"
    }
  }
}

/// One schema of the discovery document. Both spellings of a name are taken (proto3 JSON).
final class FCMMessageShape: Sendable {
  struct Field: Sendable {
    let camel: StaticString
    let snake: StaticString
    let shape: FCMShape

    init(_ camel: StaticString, _ snake: StaticString, _ shape: FCMShape) {
      self.camel = camel
      self.snake = snake
      self.shape = shape
    }

    /// A name of one word is the same in both.
    init(_ name: StaticString, _ shape: FCMShape) { self.init(name, name, shape) }
  }

  let name: String
  let fields: [Field]

  init(_ name: String, _ fields: [Field]) {
    self.name = name
    self.fields = fields
  }
}

extension FCMShape: Sendable {}
