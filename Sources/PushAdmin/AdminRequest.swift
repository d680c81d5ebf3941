/// A request as far as the admin side looks at it.
package struct AdminRequest: Sendable {
  package var method = "GET"
  package var path = "/"
  /// Names and values behind the `?`, decoded; of a name that comes twice, the last.
  package var query: [String: String] = [:]
  package var body: [UInt8] = []
  /// Where it comes from, as far as the socket knows: behind a proxy, the proxy.
  package var peer = ""
  /// It brought the right token.
  package var isAuthorized = false

  var host: String?
  var authorization: String?
  var contentType: String?
  var origin: String?
  var fetchSite: String?

  package init() {}
}
