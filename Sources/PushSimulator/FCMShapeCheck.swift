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
  /// Where the check stands; put into words only for a violation.
  private var path: [Step] = []

  private enum Step {
    case field(StaticString)
    case element(Int)
    /// The value of an entry of a map.
    case entry(Int)
  }

  init(_ text: JSONText) {
    self.text = text
    check(0, as: .message(FCMSchemas.request))
  }

  private mutating func check(_ value: Int, as shape: FCMShape, under step: Step) {
    path.append(step)
    check(value, as: shape)
    path.removeLast()
  }

  private mutating func check(_ value: Int, as shape: FCMShape) {
    // In proto3 JSON null stands for an absent field.
    if text.kind(value) == .null { return }
    switch shape {
    case .message(let message): checkObject(value, message)
    case .strings: checkMap(value)
    case .list(let element): checkList(value, of: element)
    default:
      if !fits(value, shape) { refuse(value, shape) }
    }
  }

  private mutating func checkObject(_ value: Int, _ message: FCMMessageShape) {
    guard text.kind(value) == .object else { return refuse(value, .message(message)) }
    let end = Int(text.tokens[value].next)
    var key = value + 1
    while key < end {
      let member = key + 1
      if let field = message.fields.first(where: { isNamed(key, $0) }) {
        check(member, as: field.shape, under: .field(field.snake))
      } else {
        unknown(text.string(key))
      }
      key = Int(text.tokens[member].next)
    }
  }

  private func isNamed(_ key: Int, _ field: FCMMessageShape.Field) -> Bool {
    text.isString(key, field.camel) || text.isString(key, field.snake)
  }

  private mutating func checkMap(_ value: Int) {
    guard text.kind(value) == .object else { return refuse(value, .anyObject) }
    let end = Int(text.tokens[value].next)
    var member = value + 2
    var number = 0
    while member < end {
      if text.kind(member) != .string {
        path.append(.entry(number))
        refuse(member, .string)  // null too, which a map may not hold
        path.removeLast()
      }
      member = Int(text.tokens[member].next) + 1
      number += 1
    }
  }

  private mutating func checkList(_ value: Int, of element: FCMShape) {
    guard text.kind(value) == .array else { return refuse(value, element) }
    for (number, at) in text.elements(of: value).enumerated() {
      check(at, as: element, under: .element(number))
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

  private mutating func refuse(_ value: Int, _ shape: FCMShape) {
    let quote = text.kind(value) == .string ? "\"" : ""
    let shown = String(decoding: text.raw(value).prefix(60), as: UTF8.self)
    let path = place
    violations.append(
      FieldViolation(
        field: path,
        description: "Invalid value at '\(path)' (\(shape.typeName)), \(quote)\(shown)\(quote)"))
  }

  private mutating func unknown(_ name: String) {
    let path = place
    let suffix = path.isEmpty ? "" : " at '\(path)'"
    violations.append(
      FieldViolation(
        field: path,
        description:
          "Invalid JSON payload received. Unknown name \"\(name)\"\(suffix): Cannot find field."))
  }

  /// Such as `message.data[0].value`.
  private var place: String {
    path.reduce(into: "") { text, step in
      switch step {
      case .field(let name): text += text.isEmpty ? "\(name)" : ".\(name)"
      case .element(let number): text += "[\(number)]"
      case .entry(let number): text += "[\(number)].value"
      }
    }
  }
}
