package import RedisClient
internal import Testing

/// A master with replicas and the sentinels that watch them, each a process of its own; the master
/// is called `mymaster`.
package struct RedisSentinels: Sendable {
  /// The first one is the master at the start.
  package let nodes: [RedisServer]
  package let ports: [Int]
  package let sentinels: [RedisServer]
  package let sentinelPorts: [Int]

  private let usesTLS: Bool

  /// Starts them and waits until the sentinels know of each other and of the replicas.
  /// `arguments` are redis-server's.
  package init(
    replicas: Int = 1, tls: RedisTLS? = nil, _ arguments: [String] = []
  ) async throws {
    usesTLS = tls != nil
    let free = try await RedisServer.freePorts(1 + replicas + 3)
    ports = Array(free.prefix(1 + replicas))
    sentinelPorts = Array(free.suffix(3))
    var nodes: [RedisServer] = []
    for (index, port) in ports.enumerated() {
      let following = index == 0 ? [] : ["--replicaof", "127.0.0.1 \(ports[0])"]
      nodes.append(
        try await RedisServer(
          (tls?.words(port: port) ?? ["--port", String(port)])
            + ["--bind", "127.0.0.1", "--repl-diskless-sync-delay", "0"]
            + following + arguments))
    }
    self.nodes = nodes
    var sentinels: [RedisServer] = []
    for port in sentinelPorts {
      sentinels.append(
        try await RedisServer(
          sentinel: (tls?.lines(port: port) ?? ["port \(port)"]) + [
            "bind 127.0.0.1", "sentinel monitor mymaster 127.0.0.1 \(ports[0]) 2",
            "sentinel down-after-milliseconds mymaster 500",
            "sentinel failover-timeout mymaster 3000",
          ]))
    }
    self.sentinels = sentinels
    let areUp = await RedisServer.waitUntil { [sentinels] in
      for sentinel in sentinels {
        let found = await sentinel.call("SENTINEL", "MASTER", "mymaster")
        guard found["num-other-sentinels"] == "2", found["num-slaves"] == "\(replicas)",
          found["flags"] == "master"
        else { return false }
      }
      return true
    }
    try #require(areUp, "the sentinels did not find each other")
  }

  package var url: RedisURL {
    get throws { try RedisURL(text) }
  }

  package var text: String {
    (usesTLS ? "sentinel+tls://" : "sentinel://")
      + sentinelPorts.map { "127.0.0.1:\($0)" }.joined(separator: ",") + "/mymaster/0"
  }

  /// The node that the sentinels name at present.
  package func master() async -> Int? {
    for sentinel in sentinels {
      let found = await sentinel.call("SENTINEL", "get-master-addr-by-name", "mymaster")
      if let port = found.array?.last?.text { return ports.firstIndex { String($0) == port } }
    }
    return nil
  }

  package func stop() async {
    for sentinel in sentinels { await sentinel.kill() }
    for node in nodes { await node.kill() }
  }
}

extension RedisReply {
  /// The value behind a word in a list of names and values.
  package subscript(name: String) -> String? {
    let words = array?.map(\.text) ?? []
    guard let at = words.firstIndex(of: name), at + 1 < words.count else { return nil }
    return words[at + 1]
  }
}
