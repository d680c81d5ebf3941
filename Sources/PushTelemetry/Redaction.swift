/// The first 6 characters of a device token and its length: enough to find it again, too little to
/// send to it. A token of fewer than 12 characters shows at most half of itself.
package func redact(token: String) -> String {
  let count = token.count
  return "\(token.prefix(min(6, count / 2)))…(\(count))"
}

/// The same for a token in bytes.
package func redact(token: [UInt8]) -> String {
  redact(token: String(decoding: token, as: UTF8.self))
}
