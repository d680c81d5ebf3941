@testable import PushCodec

/// Checks a JSON text against a JSON Schema (2020-12), as far as our schemas go: a keyword that it
/// does not know is a fault of the schema.
struct SchemaChecker {
  enum Fault: Error {
    case notJSON
    case unknownKeyword(String)
    case badReference(String)
  }

  private let schema: JSONText
  /// Say something to readers, nothing about instances; `then` and `else` are read with `if`.
  private static let annotations: Set<String> = [
    "$schema", "$id", "$comment", "$defs", "title", "description", "then", "else",
  ]

  init(_ schema: [UInt8]) throws {
    guard let text = JSONText(schema) else { throw Fault.notJSON }
    self.schema = text
  }

  /// Names of the properties that a part of the schema lists.
  func properties(at reference: String) throws -> [String] {
    var names: [String] = []
    guard let list = schema.member("properties", of: try resolve(reference)) else { return [] }
    schema.forEachMember(of: list) { key, _ in names.append(schema.string(key)) }
    return names
  }

  func accepts(_ instance: String) throws -> Bool {
    guard let text = JSONText([UInt8](instance.utf8)) else { return false }
    return try accepts(0, text, 0)
  }

  private func accepts(_ rule: Int, _ text: JSONText, _ value: Int) throws -> Bool {
    if schema.tokens[rule].isBool { return schema.tokens[rule].kind == .yes }
    for (name, argument) in members(of: rule) where !Self.annotations.contains(name) {
      guard try holds(name, argument, in: rule, text, value) else { return false }
    }
    return true
  }

  private func holds(
    _ name: String, _ argument: Int, in rule: Int, _ text: JSONText, _ value: Int
  ) throws -> Bool {
    switch name {
    case "$ref": try accepts(resolve(schema.string(argument)), text, value)
    case "allOf": try elements(of: argument).allSatisfy { try accepts($0, text, value) }
    case "anyOf": try elements(of: argument).contains { try accepts($0, text, value) }
    case "not": try !accepts(argument, text, value)
    case "if": try branch(of: rule, holds: accepts(argument, text, value), text, value)
    case "const": isEqual(argument, text, value)
    case "enum": elements(of: argument).contains { isEqual($0, text, value) }
    case "type": hasType(argument, text, value)
    default:
      switch text.tokens[value].kind {
      case .object: try object(name, argument, in: rule, text, value)
      case .array: try array(name, argument, text, value)
      case .string, .number: try scalar(name, argument, text, value)
      case .yes, .no, .null: try known(name)
      }
    }
  }

  private func branch(
    of rule: Int, holds: Bool, _ text: JSONText, _ value: Int
  ) throws -> Bool {
    guard let next = schema.member(holds ? "then" : "else", of: rule) else { return true }
    return try accepts(next, text, value)
  }

  private func object(
    _ name: String, _ argument: Int, in rule: Int, _ text: JSONText, _ value: Int
  ) throws -> Bool {
    var fields: [String: Int] = [:]
    var keys: [Int] = []
    text.forEachMember(of: value) { key, field in
      fields[text.string(key)] = field
      keys.append(key)
    }
    switch name {
    case "required":
      return elements(of: argument).allSatisfy { fields[schema.string($0)] != nil }
    case "maxProperties": return Double(fields.count) <= number(argument)
    case "properties":
      return try members(of: argument).allSatisfy { name, rule in
        try fields[name].map { try accepts(rule, text, $0) } ?? true
      }
    case "additionalProperties":
      let listed = schema.member("properties", of: rule).map { members(of: $0).map(\.0) } ?? []
      return try fields.allSatisfy { name, field in
        try listed.contains(name) || accepts(argument, text, field)
      }
    case "propertyNames":
      return try keys.allSatisfy { key in
        // With its quotes, which a token leaves out.
        let quoted = text.bytes[Int(text.tokens[key].start) - 1...Int(text.tokens[key].end)]
        guard let name = JSONText(Array(quoted)) else { return false }
        return try accepts(argument, name, 0)
      }
    default: return try known(name)
    }
  }

  private func array(
    _ name: String, _ argument: Int, _ text: JSONText, _ value: Int
  ) throws -> Bool {
    let items = Self.elements(of: value, text)
    switch name {
    case "items": return try items.allSatisfy { try accepts(argument, text, $0) }
    case "contains": return try items.contains { try accepts(argument, text, $0) }
    case "minItems": return Double(items.count) >= number(argument)
    case "maxItems": return Double(items.count) <= number(argument)
    default: return try known(name)
    }
  }

  private func scalar(
    _ name: String, _ argument: Int, _ text: JSONText, _ value: Int
  ) throws -> Bool {
    let words = text.string(value)
    if text.tokens[value].kind == .number {
      let number = Double(words) ?? .nan
      switch name {
      case "minimum": return number >= self.number(argument)
      case "maximum": return number <= self.number(argument)
      case "exclusiveMaximum": return number < self.number(argument)
      default: return try known(name)
      }
    }
    switch name {
    case "minLength": return Double(words.unicodeScalars.count) >= number(argument)
    case "maxLength": return Double(words.unicodeScalars.count) <= number(argument)
    case "pattern":
      let pattern = try Regex(schema.string(argument)).matchingSemantics(.unicodeScalar)
      return words.contains(pattern)
    default: return try known(name)
    }
  }

  /// True, since the keyword is about values of another kind.
  private func known(_ name: String) throws -> Bool {
    let all: Set<String> = [
      "required", "maxProperties", "properties", "additionalProperties", "propertyNames", "items",
      "contains", "minItems", "maxItems", "minimum", "maximum", "exclusiveMaximum", "minLength",
      "maxLength", "pattern",
    ]
    guard all.contains(name) else { throw Fault.unknownKeyword(name) }
    return true
  }

  private func hasType(_ argument: Int, _ text: JSONText, _ value: Int) -> Bool {
    let isList = schema.tokens[argument].kind == .array
    let allowed = isList ? elements(of: argument).map(schema.string) : [schema.string(argument)]
    return switch text.tokens[value].kind {
    case .object: allowed.contains("object")
    case .array: allowed.contains("array")
    case .string: allowed.contains("string")
    case .yes, .no: allowed.contains("boolean")
    case .null: allowed.contains("null")
    case .number:
      allowed.contains("number") || allowed.contains("integer") && isInteger(text.string(value))
    }
  }

  private func isInteger(_ digits: String) -> Bool {
    Double(digits).map { $0.rounded() == $0 } ?? false
  }

  /// Of scalars; we list no others.
  private func isEqual(_ wanted: Int, _ text: JSONText, _ value: Int) -> Bool {
    let kind = schema.tokens[wanted].kind
    guard kind == text.tokens[value].kind else { return false }
    if kind == .number { return number(wanted) == Double(text.string(value)) }
    return schema.string(wanted) == text.string(value)
  }

  private func number(_ token: Int) -> Double { Double(schema.string(token)) ?? .nan }

  private func members(of object: Int) -> [(String, Int)] {
    var all: [(String, Int)] = []
    schema.forEachMember(of: object) { all.append((schema.string($0), $1)) }
    return all
  }

  private func elements(of array: Int) -> [Int] { Self.elements(of: array, schema) }

  private static func elements(of array: Int, _ text: JSONText) -> [Int] {
    var all: [Int] = []
    var at = array + 1
    while at < Int(text.tokens[array].next) {
      all.append(at)
      at = Int(text.tokens[at].next)
    }
    return all
  }

  private func resolve(_ reference: String) throws -> Int {
    var token = 0
    for name in reference.split(separator: "/").dropFirst() {
      guard let next = schema.member(String(name), of: token) else {
        throw Fault.badReference(reference)
      }
      token = next
    }
    return token
  }
}
