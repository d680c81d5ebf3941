import LoopIO
import PushCrypto
import TestSupport
import Testing

@testable import RedisClient

/// `cluster://` against real clusters.
@Suite(.serialized) struct ClusterTests {
  private static let key = "push:messages"
  private static var slot: Int { KeySlot.slot(of: key) }

  private static func set(_ value: String) -> ScriptCall {
    var call = ScriptCall(
      RedisScript("return redis.call('SET', KEYS[1], ARGV[1])"), keys: ["{\(key)}:value"])
    call.arguments.append(value)
    return call
  }

  @Test(arguments: [
    ("", 0), ("123456789", 12_739), ("push:messages", 4_172), ("{push:messages}:dead", 4_172),
    ("foo{}{bar}", 8_363), ("foo{{bar}}zap", 4_015), ("foo{bar}{zap}", 5_061),
  ])
  func `slots are the specification's`(_ key: String, _ slot: Int) {
    #expect(KeySlot.slot(of: key) == slot)
  }

  @Test(arguments: [
    ("MOVED 3999 127.0.0.1:6381", Endpoint.tcp(host: "127.0.0.1", port: 6381)),
    ("ASK 3999 ::1:7", .tcp(host: "::1", port: 7)), ("MOVED 1 :7", .tcp(host: "asked", port: 7)),
    ("-MOVED 1 h:7", .tcp(host: "h", port: 7)), ("MOVED 1 ?:7", nil), ("MOVED 1 h", nil),
    ("MOVED", nil), ("MOVED 1 h:99999", nil),
  ])
  func `a redirect names an endpoint`(_ message: String, _ endpoint: Endpoint?) {
    let error = RedisError(message: message)
    #expect(error.redirect(from: .tcp(host: "asked", port: 1)) == endpoint)
  }

  @Test func `a key is found, followed while its slot moves, and where it went`() async throws {
    let cluster = try await RedisCluster(replicas: false)
    let from = try #require(await cluster.owner(of: Self.slot))
    let to = (from + 1) % 3
    try await onLoop { [slot = Self.slot] loop in
      let client = RedisClient(try cluster.url, key: Self.key, on: loop)
      #expect(await client.call(Self.set("1")) == .status("OK"))

      await cluster.beginMove(of: slot, from: from, to: to)
      #expect(await client.call(Self.set("2")) == .status("OK"))
      await cluster.moveKeys(of: slot, from: from, to: to)
      // Only the new node has it: ASK, and the script is not known there.
      #expect(await client.call(Self.set("3")) == .status("OK"))
      #expect(await client.call(RedisCommand("GET", "{\(Self.key)}:value")).text == "3")
      #expect(client.connections == 1)

      await cluster.endMove(of: slot, to: to)
      #expect(await client.call(Self.set("4")) == .status("OK"))
      #expect(await cluster.nodes[to].call("GET", "{\(Self.key)}:value").text == "4")
      #expect(client.connections == 2)
      client.close()
    }
    await cluster.stop()
  }

  @Test func `a cluster that speaks TLS is followed to where a slot goes`() async throws {
    let folder = TemporaryFolder()
    let tls = try RedisTLS(in: folder, CertificateAuthority())
    let cluster = try await RedisCluster(replicas: false, tls: tls)
    let from = try #require(await cluster.owner(of: Self.slot))
    let to = (from + 1) % 3
    try await onLoop { [slot = Self.slot] loop in
      let context = try TLSContext.client(caFile: tls.caFile)
      let client = RedisClient(try cluster.url, tls: context, key: Self.key, on: loop)
      #expect(await client.call(Self.set("1")) == .status("OK"))
      await cluster.beginMove(of: slot, from: from, to: to)
      await cluster.moveKeys(of: slot, from: from, to: to)
      #expect(await client.call(Self.set("2")) == .status("OK"), "by ASK")
      await cluster.endMove(of: slot, to: to)
      #expect(await client.call(Self.set("3")) == .status("OK"), "by MOVED")
      #expect(await cluster.nodes[to].call("GET", "{\(Self.key)}:value").text == "3")
      client.close()
    }
    await cluster.stop()
  }

  @Test func `commands of several keys wait until their slot has arrived`() async throws {
    let cluster = try await RedisCluster(replicas: false)
    let from = try #require(await cluster.owner(of: Self.slot))
    let to = (from + 1) % 3
    try await onLoop { [slot = Self.slot] loop in
      let client = RedisClient(try cluster.url, key: Self.key, on: loop)
      let two = RedisCommand("MGET", "{\(Self.key)}:a", "{\(Self.key)}:b")
      _ = await client.call(RedisCommand("SET", "{\(Self.key)}:a", "1"))
      await cluster.beginMove(of: slot, from: from, to: to)
      let shared = UncheckedBox(client)
      let waiting = Task(executorPreference: loop) { await shared.value.call(two) }
      try await loop.sleep(.milliseconds(100))
      await cluster.moveKeys(of: slot, from: from, to: to)
      await cluster.endMove(of: slot, to: to)
      #expect(await waiting.value == .array([.bytes([UInt8(ascii: "1")]), .null]))
      client.close()
    }
    await cluster.stop()
  }

  @Test func `a replica that takes over is found`() async throws {
    let cluster = try await RedisCluster()
    let master = try #require(await cluster.owner(of: Self.slot))
    try await onLoop { loop in
      let client = RedisClient(try cluster.url, key: Self.key, on: loop)
      #expect(await client.call(Self.set("1")) == .status("OK"))
      await cluster.nodes[master].kill()
      let works = await eventually(on: loop) {
        await client.call(Self.set("2")) == .status("OK")
      }
      #expect(works)
      let successor = cluster.nodes[master + 3]
      #expect(await successor.call("GET", "{\(Self.key)}:value").text == "2")
      // The old one comes back as a replica, and a planned change gives it the slot again.
      try await cluster.nodes[master].start()
      let back = try await eventually(on: loop) {
        guard await client.call(Self.set("3")) == .status("OK") else { return false }
        if await cluster.nodes[master].call("ROLE").array?.first?.text == "master" { return true }
        // One that is not yet in step gives up without a word.
        await cluster.nodes[master].call("CLUSTER", "FAILOVER")
        try await loop.sleep(.milliseconds(200))
        return false
      }
      #expect(back)
      client.close()
    }
    await cluster.stop()
  }
}
