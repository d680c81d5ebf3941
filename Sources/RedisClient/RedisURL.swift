package import LoopIO

/// Where Redis is and who we are there: one server, a master that sentinels name, or a cluster.
///
///     redis://user:password@host:6379/3      rediss://:password@[::1]:6380      unix:///path?db=3
///     sentinel://user:password@h1,h2:26379,h3/mymaster/0      cluster://user:password@h1,h2,h3
///
/// `sentinel+tls://` and `cluster+tls://` speak TLS with all of them. User and password are
/// percent-encoded, as generated passwords hold any byte.
package struct RedisURL: Sendable, Equatable {
  package enum Kind: Sendable, Equatable {
    case single
    /// The endpoints are sentinels, which know where the master of this name is.
    case sentinel(master: String)
    /// The endpoints are some of the cluster's nodes.
    case cluster
  }

  package var kind = Kind.single
  /// Never empty; one when it is a single server.
  package var endpoints: [Endpoint]
  package var usesTLS: Bool
  /// nil = Redis' default user.
  package var user: [UInt8]?
  package var password: [UInt8]?
  package var database: Int

  /// The first of the endpoints.
  package var endpoint: Endpoint { endpoints[0] }

  /// A single server.
  package init(
    endpoint: Endpoint, usesTLS: Bool = false, user: [UInt8]? = nil, password: [UInt8]? = nil,
    database: Int = 0
  ) {
    endpoints = [endpoint]
    self.usesTLS = usesTLS
    self.user = user
    self.password = password
    self.database = database
  }

  /// Throws `.badURL`, whose detail says what is wrong and never repeats the text, since that may
  /// hold a password.
  package init(_ text: String) throws(RedisError) {
    guard let mark = text.firstRange(of: "://") else {
      throw Self.bad("it must begin with \(Self.schemes)")
    }
    let rest = text[mark.upperBound...]
    switch text[..<mark.lowerBound].lowercased() {
    case "redis": try self.init(network: rest, usesTLS: false)
    case "rediss": try self.init(network: rest, usesTLS: true)
    case "unix": try self.init(unix: rest)
    case "sentinel": try self.init(sentinels: rest, usesTLS: false)
    case "sentinel+tls": try self.init(sentinels: rest, usesTLS: true)
    case "cluster": try self.init(cluster: rest, usesTLS: false)
    case "cluster+tls": try self.init(cluster: rest, usesTLS: true)
    default: throw Self.bad("it must begin with \(Self.schemes)")
    }
  }

  private static let schemes =
    "redis://, rediss://, unix://, sentinel://, sentinel+tls://, cluster:// or cluster+tls://"

  private init(network rest: Substring, usesTLS: Bool) throws(RedisError) {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let (login, place) = Self.splitLogin(rest[..<slash])
    let path = rest[slash...].dropFirst()
    self.init(
      endpoint: try Self.place(place, port: 6_379), usesTLS: usesTLS,
      database: path.isEmpty ? 0 : try Self.database(path))
    try readLogin(login)
  }

  private init(sentinels rest: Substring, usesTLS: Bool) throws(RedisError) {
    let parts = rest.split(separator: "/", omittingEmptySubsequences: false)
    guard (2...3).contains(parts.count), !parts[1].isEmpty else {
      throw Self.bad("sentinel:// needs the name of the master: sentinel://host,host/name/0")
    }
    let (login, hosts) = Self.splitLogin(parts[0])
    endpoints = try Self.places(hosts, port: 26_379)
    kind = .sentinel(
      master: String(decoding: try Self.percentDecoded(parts[1]), as: UTF8.self))
    self.usesTLS = usesTLS
    database = parts.count == 3 && !parts[2].isEmpty ? try Self.database(parts[2]) : 0
    try readLogin(login)
  }

  private init(cluster rest: Substring, usesTLS: Bool) throws(RedisError) {
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    let (login, hosts) = Self.splitLogin(rest[..<slash])
    let path = rest[slash...].dropFirst()
    guard path.isEmpty || path == "0" else {
      throw Self.bad("a cluster has database 0 alone; percent-encode / in user and password")
    }
    kind = .cluster
    endpoints = try Self.places(hosts, port: 6_379)
    self.usesTLS = usesTLS
    database = 0
    try readLogin(login)
  }

  private init(unix rest: Substring) throws(RedisError) {
    let mark = rest.firstIndex(of: "?") ?? rest.endIndex
    let slash = rest.firstIndex(of: "/") ?? rest.endIndex
    guard slash < mark else { throw Self.bad("unix:// needs an absolute path") }
    let (login, host) = Self.splitLogin(rest[..<slash])
    guard host.isEmpty else { throw Self.bad("unix:// names a path, no host: unix:///path") }
    let path = String(decoding: try Self.percentDecoded(rest[slash..<mark]), as: UTF8.self)
    let query = rest[mark...].dropFirst()
    guard query.isEmpty || query.hasPrefix("db=") else {
      throw Self.bad("after ? only db=N is known")
    }
    self.init(
      endpoint: .unix(path: path),
      database: query.isEmpty ? 0 : try Self.database(query.dropFirst(3)))
    try readLogin(login)
  }

  private static func splitLogin(_ authority: Substring) -> (login: Substring?, rest: Substring) {
    guard let at = authority.lastIndex(of: "@") else { return (nil, authority) }
    return (authority[..<at], authority[authority.index(after: at)...])
  }

  private mutating func readLogin(_ login: Substring?) throws(RedisError) {
    guard let login else { return }
    guard let colon = login.firstIndex(of: ":") else {
      throw Self.bad("a user needs a password: user:password@ or :password@")
    }
    let name = try Self.percentDecoded(login[..<colon])
    user = name.isEmpty ? nil : name
    let secret = try Self.percentDecoded(login[login.index(after: colon)...])
    guard !secret.isEmpty else { throw Self.bad("the password is empty") }
    password = secret
  }

  private static func places(_ hosts: Substring, port: Int) throws(RedisError) -> [Endpoint] {
    var places: [Endpoint] = []
    for host in hosts.split(separator: ",", omittingEmptySubsequences: false) {
      places.append(try place(host, port: port))
    }
    return places
  }

  private static func place(_ place: Substring, port: Int) throws(RedisError) -> Endpoint {
    let (host, given) = try hostAndPort(place)
    return .tcp(host: host, port: given ?? port)
  }

  private static func hostAndPort(_ place: Substring) throws(RedisError) -> (String, Int?) {
    var host = place
    var port: Substring?
    if place.hasPrefix("[") {
      guard let close = place.firstIndex(of: "]") else { throw bad("the ] of the host is missing") }
      host = place[place.index(after: place.startIndex)..<close]
      let after = place[place.index(after: close)...]
      guard after.isEmpty || after.hasPrefix(":") else {
        throw bad("after ] only :port is allowed")
      }
      port = after.isEmpty ? nil : after.dropFirst()
    } else if let colon = place.firstIndex(of: ":") {
      host = place[..<colon]
      port = place[place.index(after: colon)...]
    }
    guard !host.isEmpty else { throw bad("the host is missing") }
    guard !host.contains(where: { "?#@".contains($0) }) else {
      throw bad("the host holds ?, # or @: percent-encode user and password")
    }
    guard let port else { return (String(host), nil) }
    guard let number = Int(port), (1...65_535).contains(number) else {
      throw bad("the port must be 1 to 65535; percent-encode / : @ in user and password")
    }
    return (String(host), number)
  }

  private static func database(_ text: Substring) throws(RedisError) -> Int {
    guard let number = Int(text), number >= 0, !text.hasPrefix("+") else {
      throw bad("the database must be a number; percent-encode / in user and password")
    }
    return number
  }

  private static func percentDecoded(_ text: Substring) throws(RedisError) -> [UInt8] {
    var decoded: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        decoded.append(byte)
        continue
      }
      guard rest.count >= 2, let value = UInt8(hex: rest.removeFirst(), rest.removeFirst()) else {
        throw bad("% must be followed by two hexadecimal digits")
      }
      decoded.append(value)
    }
    return decoded
  }

  private static func bad(_ why: String) -> RedisError { RedisError(.badURL, "Redis URL: \(why)") }
}

extension RedisURL: CustomStringConvertible {
  /// For logs: never the password.
  package var description: String {
    let login = password == nil ? "" : "***@"
    let tls = usesTLS ? "+tls" : ""
    let hosts = endpoints.map(\.description).joined(separator: ",")
    switch kind {
    case .sentinel(let master): return "sentinel\(tls)://\(login)\(hosts)/\(master)/\(database)"
    case .cluster: return "cluster\(tls)://\(login)\(hosts)"
    case .single: break
    }
    if case .unix(let path) = endpoint {
      return "unix://\(login)\(path)" + (database == 0 ? "" : "?db=\(database)")
    }
    return "\(usesTLS ? "rediss" : "redis")://\(login)\(hosts)/\(database)"
  }
}

extension UInt8 {
  fileprivate init?(hex high: UInt8, _ low: UInt8) {
    guard let high = Self.hexValue(high), let low = Self.hexValue(low) else { return nil }
    self = high << 4 | low
  }

  private static func hexValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
    case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
    case UInt8(ascii: "A")...UInt8(ascii: "F"): digit - UInt8(ascii: "A") + 10
    default: nil
    }
  }
}
