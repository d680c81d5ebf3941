package import RedisClient
internal import Testing

/// A Redis Cluster of three masters with a replica each, all processes of their own.
package struct RedisCluster: Sendable {
  /// The masters, then their replicas in the same order.
  package let nodes: [RedisServer]
  package let ports: [Int]

  private let usesTLS: Bool

  /// Starts it and waits until all of it agrees. `arguments` are redis-server's.
  package init(
    replicas: Bool = true, tls: RedisTLS? = nil, _ arguments: [String] = []
  ) async throws {
    usesTLS = tls != nil
    let count = replicas ? 6 : 3
    let free = try await RedisServer.freePorts(count * 2)
    ports = Array(free.prefix(count))
    var nodes: [RedisServer] = []
    for (port, bus) in zip(ports, free.suffix(count)) {
      nodes.append(
        try await RedisServer(
          (tls.map { $0.words(port: port) + ["--tls-cluster", "yes"] } ?? ["--port", "\(port)"])
            + [
              "--bind", "127.0.0.1", "--cluster-enabled", "yes",
              "--cluster-port", String(bus), "--cluster-node-timeout", "1000",
              "--repl-diskless-sync-delay", "0", "--cluster-replica-validity-factor", "0",
            ] + arguments))
    }
    self.nodes = nodes
    let ranges = [(0, 5_460), (5_461, 10_922), (10_923, 16_383)]
    for (index, range) in ranges.enumerated() {
      await nodes[index].call("CLUSTER", "ADDSLOTSRANGE", "\(range.0)", "\(range.1)")
      await nodes[index].call("CLUSTER", "SET-CONFIG-EPOCH", "\(index + 1)")
    }
    for (port, bus) in zip(ports, free.suffix(count)).dropFirst() {
      await nodes[0].call("CLUSTER", "MEET", "127.0.0.1", "\(port)", "\(bus)")
    }
    for index in 3..<max(3, count) {
      let id = await self.id(of: index - 3)
      let isFollowing = await RedisServer.waitUntil { [nodes] in
        await nodes[index].call("CLUSTER", "REPLICATE", id) == .status("OK")
      }
      try #require(isFollowing, "a replica did not find its master")
    }
    try #require(await agrees(), "the cluster did not form")
  }

  private func agrees() async -> Bool {
    await RedisServer.waitUntil { [nodes] in
      for node in nodes {
        let info = await node.call("CLUSTER", "INFO").text ?? ""
        guard info.contains("cluster_state:ok"), info.contains("known_nodes:\(nodes.count)") else {
          return false
        }
      }
      for node in nodes.dropFirst(3) {
        let info = await node.call("INFO", "replication").text ?? ""
        guard info.contains("master_link_status:up") else { return false }
      }
      return true
    }
  }

  package var text: String {
    (usesTLS ? "cluster+tls://" : "cluster://")
      + ports.prefix(3).map { "127.0.0.1:\($0)" }.joined(separator: ",")
  }

  package var url: RedisURL {
    get throws { try RedisURL(text) }
  }

  package func id(of node: Int) async -> String {
    await nodes[node].call("CLUSTER", "MYID").text ?? ""
  }

  /// The node that owns a slot, as the node itself sees it.
  package func owner(of slot: Int) async -> Int? {
    for (index, node) in nodes.enumerated() {
      guard let me = await node.call("CLUSTER", "MYID").text else { continue }
      for range in await node.call("CLUSTER", "SLOTS").array ?? [] {
        guard let fields = range.array, fields.count >= 3, let first = fields[0].integer,
          let last = fields[1].integer, (first...last).contains(Int64(slot))
        else { continue }
        if fields[2].array?.dropFirst(2).first?.text == me { return index }
      }
    }
    return nil
  }

  /// Begins to move a slot: from now on its owner sends those who ask for keys it has not elsewhere.
  package func beginMove(of slot: Int, from: Int, to: Int) async {
    await nodes[to].call("CLUSTER", "SETSLOT", "\(slot)", "IMPORTING", await id(of: from))
    await nodes[from].call("CLUSTER", "SETSLOT", "\(slot)", "MIGRATING", await id(of: to))
  }

  /// Moves the keys of a slot, ten at a time.
  package func moveKeys(of slot: Int, from: Int, to: Int) async {
    while true {
      let found = await nodes[from].call("CLUSTER", "GETKEYSINSLOT", "\(slot)", "10")
      let keys = found.array?.compactMap(\.text) ?? []
      if keys.isEmpty { return }
      for key in keys {
        await nodes[from].call("MIGRATE", "127.0.0.1", "\(ports[to])", key, "0", "5000")
      }
    }
  }

  /// Gives the slot to its new owner for good.
  package func endMove(of slot: Int, to: Int) async {
    let id = await id(of: to)
    await nodes[to].call("CLUSTER", "SETSLOT", "\(slot)", "NODE", id)
    for node in nodes.prefix(3) { await node.call("CLUSTER", "SETSLOT", "\(slot)", "NODE", id) }
  }

  package func stop() async {
    for node in nodes { await node.kill() }
  }
}
