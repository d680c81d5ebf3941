import LoopIO
import PushCrypto
import TestSupport
import Testing

@testable import RedisClient

/// `sentinel://` against real sentinels, a master and a replica.
@Suite(.serialized) struct SentinelTests {
  /// Writes until it works, and tells the port of the node that took it.
  private func write(_ client: RedisClient, _ value: String) async -> Int? {
    let works = await eventually(on: client.loop) {
      await client.call(RedisCommand("SET", "k", value)) == .status("OK")
    }
    guard works, case .tcp(_, let port)? = (try? await client.connected())?.endpoint else {
      return nil
    }
    return port
  }

  @Test func `the master is found, and its successor after a kill`() async throws {
    let group = try await RedisSentinels()
    let url = try group.url
    try await onLoop { loop in
      let client = RedisClient(url, on: loop)
      #expect(await write(client, "1") == group.ports[0])
      await group.nodes[0].kill()
      #expect(await write(client, "2") == group.ports[1])
      #expect(await group.nodes[1].call("GET", "k").text == "2")
      client.close()
    }
    await group.stop()
  }

  @Test func `a master that its sentinels gave up is left although it answers`() async throws {
    let group = try await RedisSentinels()
    let url = try group.url
    try await onLoop { loop in
      let client = RedisClient(url, on: loop)
      #expect(await write(client, "1") == group.ports[0])
      // Deaf to sentinels alone, as behind a partition.
      await group.nodes[0].call(
        "ACL", "SETUSER", "default", "-ping", "-info", "-replicaof", "-slaveof", "-multi")
      let moved = await eventually(on: loop) { await write(client, "2") == group.ports[1] }
      #expect(moved)
      #expect(await group.nodes[0].call("ROLE").array?.first?.text == "master")
      // Nothing better is known when no sentinel answers: the connection stays.
      for sentinel in group.sentinels { await sentinel.kill() }
      try await loop.sleep(.milliseconds(2_500))
      for _ in 0..<3 {
        #expect(await client.call(RedisCommand("SET", "k", "3")) == .status("OK"))
      }
      #expect(client.connections == 2)
      client.close()
    }
    await group.stop()
  }

  @Test func `Redis' login is tried with sentinels, and left out where it is refused`() async throws
  {
    let group = try await RedisSentinels()
    for node in group.nodes {
      await node.call("ACL", "SETUSER", "svc", "on", ">secret", "~*", "+@all", "-role")
    }
    let hosts = group.sentinelPorts.map { "127.0.0.1:\($0)" }
    try await onLoop { loop in
      let all = hosts.joined(separator: ",")
      let client = RedisClient(
        try RedisURL("sentinel://svc:secret@\(all)/mymaster/3"), on: loop)
      #expect(await client.call(RedisCommand("SET", "mine", "1")) == .status("OK"))
      #expect(await client.call(RedisCommand("ACL", "WHOAMI")).text == "svc")

      // The first knows our user, the second asks for another one.
      await group.sentinels[0].call("ACL", "SETUSER", "svc", "on", ">secret", "~*", "+@all")
      await group.sentinels[0].call("ACL", "SETUSER", "default", "off")
      await group.sentinels[1].call("ACL", "SETUSER", "default", "resetpass", ">other")
      let strict = "\(hosts[1]),\(hosts[0])"
      let other = RedisClient(
        try RedisURL("sentinel://svc:secret@\(strict)/mymaster/3"), on: loop)
      #expect(await other.call(RedisCommand("GET", "mine")).text == "1")

      let unknown = RedisClient(try RedisURL("sentinel://\(hosts[2])/nobody"), on: loop)
      guard case .error(let error) = await unknown.call(RedisCommand("PING")) else {
        Issue.record("a master of no name was found")
        return
      }
      #expect(error.detail.contains("knows no master named \"nobody\""))
      for client in [client, other, unknown] { client.close() }
    }
    await group.stop()
  }

  @Test func `sentinels and servers that speak TLS are followed through a failover`() async throws {
    let folder = TemporaryFolder()
    let tls = try RedisTLS(in: folder, CertificateAuthority())
    let group = try await RedisSentinels(tls: tls)
    let url = try group.url
    try await onLoop { loop in
      let client = RedisClient(url, tls: try TLSContext.client(caFile: tls.caFile), on: loop)
      #expect(await write(client, "1") == group.ports[0])
      await group.nodes[0].kill()
      #expect(await write(client, "2") == group.ports[1])
      client.close()
      let plain = RedisClient(
        try RedisURL(group.text.replacing("+tls", with: "")), on: loop)
      guard case .error = await plain.call(RedisCommand("PING")) else {
        Issue.record("it was answered without TLS")
        return
      }
      plain.close()
    }
    await group.stop()
  }
}
