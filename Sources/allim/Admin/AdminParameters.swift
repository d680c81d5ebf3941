internal import PushAdmin
internal import PushModel
internal import PushSettings

/// The values of a call: of its query, or of the JSON object in its body.
struct AdminParameters {
  private let values: [String: String]

  /// Refuses names that the call does not know: a filter that is misspelt must not match all.
  init(_ request: AdminRequest, _ known: [String]) throws(AdminFailure) {
    values = request.method == "POST" ? try Self.body(request.body) : request.query
    for name in values.keys.sorted() where !known.contains(name) {
      throw AdminFailure(
        400, "\"\(name)\" is not known; allowed: \(known.joined(separator: ", "))")
    }
  }

  private static func body(_ bytes: [UInt8]) throws(AdminFailure) -> [String: String] {
    if bytes.isEmpty { return [:] }
    guard let values = JSONObject(bytes)?.scalars else {
      throw AdminFailure(400, "the body must be one JSON object of texts, numbers and booleans")
    }
    return values
  }

  /// nil when it is absent or empty.
  func text(_ name: String) -> String? {
    guard let text = values[name], !text.isEmpty else { return nil }
    return text
  }

  func required(_ name: String) throws(AdminFailure) -> String {
    guard let text = text(name) else { throw AdminFailure(400, "\(name) is missing") }
    return text
  }

  func count(_ name: String, _ allowed: ClosedRange<Int>) throws(AdminFailure) -> Int? {
    guard let text = text(name) else { return nil }
    guard let count = Int(text), allowed.contains(count) else {
      throw AdminFailure(
        400, "\(name): allowed: \(allowed.lowerBound) to \(allowed.upperBound)")
    }
    return count
  }

  func duration(_ name: String) throws(AdminFailure) -> Duration? {
    guard let text = text(name) else { return nil }
    guard let duration = Duration(setting: text) else {
      throw AdminFailure(400, "\(name): allowed: a number with ms, s, m, h or d, such as 15m")
    }
    return duration
  }

  /// One of a few words.
  func choice(_ name: String, _ allowed: [String]) throws(AdminFailure) -> String? {
    guard let text = text(name) else { return nil }
    guard allowed.contains(text) else {
      throw AdminFailure(400, "\(name): allowed: \(allowed.joined(separator: ", "))")
    }
    return text
  }

  /// What a call was about, for the audit: names and values, without what may be anybody's words.
  static func audited(_ request: AdminRequest) -> String {
    guard let values = JSONObject(request.body)?.scalars else { return "" }
    let shown = ["queue", "app", "reason", "older", "limit", "rate", "ttl", "workers", "instance"]
    return shown.compactMap { name in values[name].map { "\(name)=\($0.prefix(64))" } }
      .joined(separator: " ")
  }
}
