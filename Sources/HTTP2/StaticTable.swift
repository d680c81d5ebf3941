/// HPACK's static table (RFC 7541 appendix A).
enum StaticTable {
  /// The index of the last field; the dynamic table begins behind it.
  static let count = 61

  /// The lowest index with this name; 0 = none.
  static func index(of name: Span<UInt8>) -> Int {
    for index in 1...count where equal(name, fields[index - 1].name) { return index }
    return 0
  }

  /// The field with this value among those with one name, whose lowest index is `first`; 0 = none.
  static func index(of value: Span<UInt8>, from first: Int, _ name: Span<UInt8>) -> Int {
    if first == 0 { return 0 }
    for index in first...count {
      guard equal(name, fields[index - 1].name) else { return 0 }
      if equal(value, fields[index - 1].value) { return index }
    }
    return 0
  }

  static func value(_ index: Int) -> StaticString { fields[index - 1].value }

  /// The field with index 1 stands first.
  private static let fields: [(name: StaticString, value: StaticString)] = [
    (":authority", ""), (":method", "GET"), (":method", "POST"), (":path", "/"),
    (":path", "/index.html"), (":scheme", "http"), (":scheme", "https"), (":status", "200"),
    (":status", "204"), (":status", "206"), (":status", "304"), (":status", "400"),
    (":status", "404"), (":status", "500"), ("accept-charset", ""),
    ("accept-encoding", "gzip, deflate"), ("accept-language", ""), ("accept-ranges", ""),
    ("accept", ""), ("access-control-allow-origin", ""), ("age", ""), ("allow", ""),
    ("authorization", ""), ("cache-control", ""), ("content-disposition", ""),
    ("content-encoding", ""), ("content-language", ""), ("content-length", ""),
    ("content-location", ""), ("content-range", ""), ("content-type", ""), ("cookie", ""),
    ("date", ""), ("etag", ""), ("expect", ""), ("expires", ""), ("from", ""), ("host", ""),
    ("if-match", ""), ("if-modified-since", ""), ("if-none-match", ""), ("if-range", ""),
    ("if-unmodified-since", ""), ("last-modified", ""), ("link", ""), ("location", ""),
    ("max-forwards", ""), ("proxy-authenticate", ""), ("proxy-authorization", ""), ("range", ""),
    ("referer", ""), ("refresh", ""), ("retry-after", ""), ("server", ""), ("set-cookie", ""),
    ("strict-transport-security", ""), ("transfer-encoding", ""), ("user-agent", ""), ("vary", ""),
    ("via", ""), ("www-authenticate", ""),
  ]
}
