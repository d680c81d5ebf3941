import Foundation
import Testing

@testable import PushCodec

/// Checks an FCM body against Google's description of every field, independently of the code under
/// test (a short form of the discovery document, revision 20261023).
struct DiscoveryChecker {
  typealias Schemas = [String: [String: String]]

  static let schemas: Schemas = {
    let file = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "Fixtures/fcm-message.json")
    let data = (try? Data(contentsOf: file)) ?? Data()
    return (try? JSONDecoder().decode(Schemas.self, from: data)) ?? [:]
  }()

  /// What FCM would refuse; empty for a good body.
  static func problems(_ body: [UInt8]) -> [String] {
    guard let root = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      let message = root["message"] as? [String: Any], root.count == 1
    else { return ["not {\"message\":…}"] }
    var problems: [String] = []
    check(message, "Message", "message", &problems)
    let targets = ["token", "fid", "topic", "condition"].filter { message[$0] != nil }
    if targets.count != 1 { problems.append("targets: \(targets)") }
    if message["android"] != nil, message["androidV2"] != nil { problems.append("two androids") }
    return problems
  }

  static func snake(_ name: String) -> String {
    if name == "androidV2" { return name }
    return name.map { $0.isUppercase ? "_\($0.lowercased())" : String($0) }.joined()
  }

  private static func check(
    _ object: [String: Any], _ schema: String, _ path: String, _ problems: inout [String]
  ) {
    let fields = schemas[schema] ?? [:]
    let known = Dictionary(uniqueKeysWithValues: fields.map { (snake($0.key), $0.value) })
    for (name, value) in object {
      guard let type = known[name] else {
        problems.append("\(path).\(name): no such field")
        continue
      }
      check(value, type: type, "\(path).\(name)", &problems)
    }
  }

  private static func check(
    _ value: Any, type: String, _ path: String, _ problems: inout [String]
  ) {
    let parts = type.split(separator: ":", maxSplits: 1).map(String.init)
    let isBool = (value as? NSNumber).map { CFBooleanLike.isBool($0) } ?? false
    let isRight: Bool
    switch parts[0] {
    case "ref":
      guard let object = value as? [String: Any] else { return problems.append(path) }
      return check(object, parts[1], path, &problems)
    case "string": isRight = value is String
    case "boolean": isRight = isBool
    case "int32": isRight = !isBool && (value as? Int).map { Int32(exactly: $0) != nil } ?? false
    case "float": isRight = !isBool && value is NSNumber
    case "google-duration", "google-datetime":
      isRight = (value as? String)?.last == "s" || parts[0] == "google-datetime"
    case "enum":
      isRight =
        (value as? String).map {
          parts[1].split(separator: ",").map(String.init).contains($0.uppercased())
        } ?? false
    case "array": isRight = (value as? [Any])?.allSatisfy { $0 is String } ?? false
    case "map":
      let map = value as? [String: Any]
      isRight = map != nil && (parts[1] == "any" || map!.values.allSatisfy { $0 is String })
    default: isRight = false
    }
    if !isRight { problems.append("\(path): \(value) is not \(type)") }
  }
}

/// Tells a JSON boolean from a number.
enum CFBooleanLike {
  static func isBool(_ number: NSNumber) -> Bool { unsafe String(cString: number.objCType) == "c" }
}
