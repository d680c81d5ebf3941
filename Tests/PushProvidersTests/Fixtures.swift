import Testing

@testable import PushProviders

func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }
func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

/// The tables of the protocol's documents, copied here so that their tests always run.
enum Fixtures {
  /// A row of `apns-reasons.json` or `fcm-errors.json`.
  struct Rule: Sendable, CustomTestStringConvertible {
    var status: Int
    var code: String
    var action: String
    var api: String

    var testDescription: String { "\(api) \(status) \(code)" }
  }

  /// An answer of `vectors.json`.
  struct Sample: Sendable, CustomTestStringConvertible {
    var name: String
    var status: Int
    var body: [UInt8]
    var retryAfter: [UInt8]?
    var expect: String
    var isOAuth: Bool

    var testDescription: String { name }
  }

  static func rules(_ file: String, code: String, status: String) -> [Rule] {
    guard let json = document(file) else { return [] }
    return json.elements(of: json.root).map { row in
      Rule(
        status: json.integer(status, of: row).map(Int.init) ?? -1,
        code: json.string(code, of: row) ?? "", action: json.string("action", of: row) ?? "",
        api: json.string("api", of: row) ?? "")
    }
  }

  static func samples(_ provider: String) -> [Sample] {
    guard let json = document("answers.json") else { return [] }
    return json.elements(of: json.member(provider, of: json.root)).map { row in
      Sample(
        name: json.string("name", of: row) ?? "",
        status: json.integer("status", of: row).map(Int.init) ?? 0,
        body: json.bytes("body", of: row) ?? [], retryAfter: json.bytes("retryAfter", of: row),
        expect: json.string("expect", of: row) ?? "",
        isOAuth: json.string("api", of: row) == "oauth2")
    }
  }

  private static func document(_ name: String) -> JSONText? {
    let folder = #filePath.split(separator: "/").dropLast().joined(separator: "/")
    guard let bytes = try? KeyFile.read("/\(folder)/Fixtures/\(name)") else { return nil }
    return try? JSONText(bytes)
  }
}
