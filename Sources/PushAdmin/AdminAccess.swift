/// Who may do what (OPERATIONS 3).
///
/// `/livez`, `/readyz` and the page's own files are for everybody: the files hold no data, and a
/// browser cannot send the token of a fragment with them. Everything else needs the token unless
/// the server listens on loopback alone; changing calls need it there too.
package struct AdminAccess: Sendable {
  private let token: [UInt8]
  private let isReadOnly: Bool
  private let metricsNeedToken: Bool
  /// The server can be reached from this machine alone.
  var isLoopback = false

  package init(token: String, isReadOnly: Bool = false, metricsNeedToken: Bool = false) {
    self.token = [UInt8](token.utf8)
    self.isReadOnly = isReadOnly
    self.metricsNeedToken = metricsNeedToken
  }

  enum Kind { case open, metrics, read, change }

  /// The answer to who may not; nil for who may.
  func refusal(_ kind: Kind, _ request: AdminRequest) -> AdminReply? {
    switch kind {
    case .open: nil
    case .metrics: metricsNeedToken ? withoutToken(request) : foreignName(request)
    case .read: readRefusal(request)
    case .change: changeRefusal(request)
    }
  }

  func isAuthorized(_ request: AdminRequest) -> Bool {
    guard let given = request.authorization, !token.isEmpty else { return false }
    let scheme = "bearer "
    guard given.count > scheme.count, given.prefix(scheme.count).lowercased() == scheme else {
      return false
    }
    return Self.isSame([UInt8](given.dropFirst(scheme.count).utf8), token)
  }

  /// Takes as long for a nearly right guess as for any other of its length.
  private static func isSame(_ given: [UInt8], _ token: [UInt8]) -> Bool {
    guard given.count == token.count else { return false }
    var difference: UInt8 = 0
    for index in token.indices { difference |= given[index] ^ token[index] }
    return difference == 0
  }

  private func readRefusal(_ request: AdminRequest) -> AdminReply? {
    // A wrong token is said to be wrong, also where none is needed.
    if !isLoopback || request.authorization != nil { return withoutToken(request) }
    return foreignName(request)
  }

  private func changeRefusal(_ request: AdminRequest) -> AdminReply? {
    if isReadOnly { return .refusal(403, "this worker's page is read-only") }
    if isCrossSite(request) { return .refusal(403, "requests of other sites are refused") }
    if let refusal = withoutToken(request) { return refusal }
    // A form of another site cannot send this type without asking first, which is not answered.
    let type = request.contentType?.prefix { $0 != ";" }.lowercased() ?? ""
    guard type.split(separator: " ").first == "application/json" else {
      return .refusal(415, "content-type must be application/json")
    }
    return nil
  }

  private func withoutToken(_ request: AdminRequest) -> AdminReply? {
    if isAuthorized(request) { return nil }
    return request.authorization == nil
      ? .refusal(401, "the admin token is needed") : .refusal(401, "the admin token is wrong")
  }

  /// Browsers say where a request comes from; other programs say nothing and have no cookies or
  /// tokens that a stranger could borrow.
  private func isCrossSite(_ request: AdminRequest) -> Bool {
    if let site = request.fetchSite, site != "same-origin", site != "none" { return true }
    guard let origin = request.origin else { return false }
    guard let mark = origin.firstRange(of: "://"), let host = request.host else { return true }
    return origin[mark.upperBound...].lowercased() != host.lowercased()
  }

  /// On loopback, a name that somebody's DNS leads here would let their page read ours: only names
  /// that nobody else can own are answered without a token.
  private func foreignName(_ request: AdminRequest) -> AdminReply? {
    guard isLoopback else { return nil }
    let isOurs = request.host.map { Self.isLoopbackName($0) } ?? true
    return isOurs
      ? nil : .refusal(403, "by this host name, the admin token is needed")
  }

  private static func isLoopbackName(_ host: String) -> Bool {
    let name =
      host.hasPrefix("[")
      ? host.prefix { $0 != "]" }.dropFirst() : host.prefix { $0 != ":" }
    let octets = name.split(separator: ".", omittingEmptySubsequences: false)
    return name.lowercased() == "localhost" || name == "::1"
      || octets.count == 4 && octets[0] == "127" && octets.allSatisfy { UInt8($0) != nil }
  }
}
