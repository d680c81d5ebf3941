/// One answer of Redis; an error is a value like the others, since in an array each element has
/// its own.
package enum RedisReply: Sendable, Equatable {
  /// A bulk string.
  case bytes([UInt8])
  /// A simple string such as `OK`.
  case status(String)
  case integer(Int64)
  case array([RedisReply])
  case null
  case error(RedisError)

  /// The reply, or its error thrown.
  package func get() throws(RedisError) -> RedisReply {
    if case .error(let error) = self { throw error }
    return self
  }

  package var integer: Int64? {
    if case .integer(let value) = self { value } else { nil }
  }

  package var bytes: [UInt8]? {
    if case .bytes(let value) = self { value } else { nil }
  }

  package var array: [RedisReply]? {
    if case .array(let value) = self { value } else { nil }
  }

  package var isNull: Bool { self == .null }

  /// The text of a bulk or simple string, broken UTF-8 repaired.
  package var text: String? {
    switch self {
    case .bytes(let bytes): String(decoding: bytes, as: UTF8.self)
    case .status(let text): text
    case .integer, .array, .null, .error: nil
    }
  }
}
