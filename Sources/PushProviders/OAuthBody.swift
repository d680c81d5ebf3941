/// The body of the token endpoint: a token, or an error of RFC 6749.
struct OAuthBody {
  var accessToken: [UInt8] = []
  /// Seconds; nil when absent.
  var lifetime: Int64?
  var error = ""
  var description = ""

  /// What cannot be read stays empty.
  init(_ body: [UInt8]) {
    guard let text = try? JSONText(body) else { return }
    let token = text.bytes("access_token", of: text.root) ?? []
    // It goes into a header: visible characters alone.
    if token.allSatisfy({ (0x21...0x7E).contains($0) }) { accessToken = token }
    lifetime = text.integer("expires_in", of: text.root)
    error = text.string("error", of: text.root) ?? ""
    description = text.string("error_description", of: text.root) ?? ""
  }
}
