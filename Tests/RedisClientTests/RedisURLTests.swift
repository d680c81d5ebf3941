import LoopIO
import Testing

@testable import RedisClient

@Suite struct RedisURLTests {
  static let oddPassword = "p@s:s/w#o?r%d&=+ é[]"
  static let encoded = "p%40s%3As%2Fw%23o%3Fr%25d%26%3D%2B%20%C3%A9%5B%5D"

  @Test func `user, password and database are read, percent-decoded`() throws {
    let url = try RedisURL("redis://svc:\(Self.encoded)@127.0.0.1:6380/3")
    #expect(url.endpoint == .tcp(host: "127.0.0.1", port: 6380))
    #expect(url.user == Array("svc".utf8))
    #expect(url.password == Array(Self.oddPassword.utf8))
    #expect(url.database == 3)
    #expect(!url.usesTLS)
  }

  @Test func `a password without a user is the default user's`() throws {
    let url = try RedisURL("redis://:\(Self.encoded)@redis.internal/3")
    #expect(url.user == nil)
    #expect(url.password == Array(Self.oddPassword.utf8))
    #expect(url.endpoint == .tcp(host: "redis.internal", port: 6379))
  }

  @Test func `an IPv6 host stands in brackets`() throws {
    let url = try RedisURL("rediss://[::1]:6390")
    #expect(url.endpoint == .tcp(host: "::1", port: 6390))
    #expect(url.usesTLS)
    #expect(url.database == 0)
  }

  @Test func `a unix socket is a path with an optional database`() throws {
    #expect(
      try RedisURL("unix:///run/redis%20one.sock?db=2")
        == RedisURL(endpoint: .unix(path: "/run/redis one.sock"), database: 2))
    #expect(
      try RedisURL("unix://:pw@/run/redis.sock")
        == RedisURL(endpoint: .unix(path: "/run/redis.sock"), password: Array("pw".utf8)))
  }

  @Test(arguments: [
    "", "redis", "http://:topsecret@h", "redis://:topsecret@h/x", "redis://:topsecret@h/-1",
    "redis://:topsecret@h/+1", "redis://:topsecret@h:0", "redis://:topsecret@h:99999",
    "redis://:topsecret%zz@h", "redis://:topsecret@", "redis://topsecret@h",
    "redis://:top/secret@h", "redis://:topsecret@[::1", "redis://:topsecret@[::1]x",
    "unix://topsecret", "unix://:topsecret@host/path", "unix:///path?x=topsecret",
    "sentinel://:topsecret@a,b", "sentinel://:topsecret@a,,b/m", "sentinel://:topsecret@a/m/x",
    "sentinel://:top/secret@a/m/0", "cluster://:topsecret@a,b/1", "cluster://:topsecret@",
    "cluster+ssl://:topsecret@a", "redis://u:@h",
  ])
  func `a bad URL is refused without being repeated`(_ text: String) throws {
    let error = try #require(throws: RedisError.self) { try RedisURL(text) }
    #expect(error.code == .badURL)
    #expect(!error.detail.contains("secret"))
  }

  @Test func `sentinels are several hosts, the name of a master and a database`() throws {
    let url = try RedisURL("sentinel+tls://svc:\(Self.encoded)@h1,h2:7,[::1]:8/my%2Fmaster/3")
    #expect(url.kind == .sentinel(master: "my/master"))
    #expect(
      url.endpoints == [
        .tcp(host: "h1", port: 26_379), .tcp(host: "h2", port: 7), .tcp(host: "::1", port: 8),
      ])
    #expect(url.usesTLS)
    #expect(url.password == Array(Self.oddPassword.utf8))
    #expect(url.database == 3)
    #expect(url.description == "sentinel+tls://***@h1:26379,h2:7,[::1]:8/my/master/3")
    #expect(try RedisURL("sentinel://h/m").database == 0)
  }

  @Test func `a cluster is several hosts and no database`() throws {
    let url = try RedisURL("cluster://svc:hidden@h1,h2:7")
    #expect(url.kind == .cluster)
    #expect(url.endpoints == [.tcp(host: "h1", port: 6_379), .tcp(host: "h2", port: 7)])
    #expect(url.description == "cluster://***@h1:6379,h2:7")
    #expect(try RedisURL("cluster+tls://h/0").usesTLS)
  }

  @Test func `its description holds no password`() throws {
    let url = try RedisURL("redis://svc:hidden@[::1]:6380/3")
    #expect(url.description == "redis://***@[::1]:6380/3")
  }
}
