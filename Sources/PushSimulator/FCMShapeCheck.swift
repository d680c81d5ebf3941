import PushCodec

/// One entry of google.rpc.BadRequest (protocol/fcm.md 6).
struct FieldViolation {
  let field: String
  let description: String
}

/// Compares a request with the shapes of the discovery document: unknown names and wrong types
/// are violations without an FcmError (protocol/fcm.md 1 and 2.6).
struct FCMShapeCheck {
  private let text: JSONText
  private(set) var violations: [FieldViolation] = []

  init(_ text: JSONText) {
    self.text = text
    check(0, as: .message(FCMSchemas.request), at: "")
  }

  private mutating func check(_ value: Int, as shape: FCMShape, at path: String) {
    // In proto3 JSON null stands for an absent field.
    if text.kind(value) == .null { return }
    switch shape {
    case .message(let message): checkObject(value, message, at: path)
    case .strings: checkMap(value, at: path)
    case .list(let element): checkList(value, of: element, at: path)
    default:
      if !fits(value, shape) { refuse(value, shape, at: path) }
    }
  }

  private mutating func checkObject(_ value: Int, _ message: FCMMessageShape, at path: String) {
    guard text.kind(value) == .object else { return refuse(value, .message(message), at: path) }
    var members: [(Int, Int)] = []
    text.forEachMember(of: value) { key, member in
      members.append((key, member))
      return true
    }
    for (key, member) in members {
      let field = message.fields.first {
        text.isString(key, $0.camel) || text.isString(key, $0.snake)
      }
      guard let field else {
        unknown(text.string(key), at: path)
        continue
      }
      check(member, as: field.shape, at: path.isEmpty ? "\(field.snake)" : "\(path).\(field.snake)")
    }
  }

  private mutating func checkMap(_ value: Int, at path: String) {
    guard text.kind(value) == .object else { return refuse(value, .anyObject, at: path) }
    var wrong: [(Int, Int)] = []
    var number = 0
    text.forEachMember(of: value) { _, member in
      if text.kind(member) != .string { wrong.append((number, member)) }
      number += 1
      return true
    }
    for (number, member) in wrong { refuse(member, .string, at: "\(path)[\(number)].value") }
  }

  private mutating func checkList(_ value: Int, of element: FCMShape, at path: String) {
    guard text.kind(value) == .array else { return refuse(value, element, at: path) }
    for (number, at) in text.elements(of: value).enumerated() {
      check(at, as: element, at: "\(path)[\(number)]")
    }
  }

  private func fits(_ value: Int, _ shape: FCMShape) -> Bool {
    switch shape {
    case .string: text.kind(value) == .string
    case .boolean: text.kind(value) == .yes || text.kind(value) == .no
    case .int32: int32(value) != nil
    case .float: text.number(value) != nil
    case .duration: text.kind(value) == .string && FCMDuration.nanoseconds(text.utf8(value)) != nil
    case .timestamp: text.kind(value) == .string && FCMTimestamp.isValid(text.utf8(value))
    case .enumeration(_, let words): isWord(value, of: words)
    case .anyObject: text.kind(value) == .object
    case .strings, .list, .message: true
    }
  }

  /// proto3 JSON takes whole numbers as numbers and as strings.
  private func int32(_ value: Int) -> Int32? {
    if text.kind(value) == .string { return Int32(text.string(value)) }
    return text.integer(value).flatMap { Int32(exactly: $0) }
  }

  /// Lower case is accepted (protocol/fcm.md 2.1); a number is one of the enum.
  private func isWord(_ value: Int, of words: [String]) -> Bool {
    if let number = text.integer(value) { return number >= 0 && number <= words.count }
    return text.kind(value) == .string && words.contains(text.string(value).uppercased())
  }

  private mutating func refuse(_ value: Int, _ shape: FCMShape, at path: String) {
    let quote = text.kind(value) == .string ? "\"" : ""
    let shown = String(decoding: text.raw(value).prefix(60), as: UTF8.self)
    violations.append(
      FieldViolation(
        field: path,
        description: "Invalid value at '\(path)' (\(shape.typeName)), \(quote)\(shown)\(quote)"))
  }

  private mutating func unknown(_ name: String, at path: String) {
    let place = path.isEmpty ? "" : " at '\(path)'"
    violations.append(
      FieldViolation(
        field: path,
        description:
          "Invalid JSON payload received. Unknown name \"\(name)\"\(place): Cannot find field."))
  }
}
