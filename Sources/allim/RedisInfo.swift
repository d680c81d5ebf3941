/// The fields of Redis' INFO by name.
struct RedisInfo: Sendable {
  private var fields: [Substring: Substring] = [:]

  init(_ text: String) {
    for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
      guard let colon = line.firstIndex(of: ":") else { continue }
      fields[line[..<colon]] = line[line.index(after: colon)...]
    }
  }

  subscript(name: Substring) -> String? { fields[name].map(String.init) }

  func number(_ name: Substring) -> Int? { fields[name].flatMap { Int($0) } }

  /// The policy by which keys of the queue may be thrown away; nil = they stay. None of them has
  /// an expiry, so that only `allkeys-*` is a danger, and only with a limit.
  var evictionOfOurKeys: String? {
    guard let policy = self["maxmemory_policy"], policy.hasPrefix("allkeys-"),
      number("maxmemory") ?? 0 > 0
    else { return nil }
    return policy
  }
}
