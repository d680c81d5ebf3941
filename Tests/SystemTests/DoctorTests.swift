import Glibc
import LoopIO
import RedisClient
import TestSupport
import Testing

/// `allim doctor` as an operator runs it.
@Suite struct DoctorTests {
  private func words(_ ending: AllimCommand.Ending) throws -> [String] {
    let object = try #require(JSONView(Array((ending.lines.first ?? "").utf8)))
    return (object["findings"]?.elements ?? []).compactMap { finding in
      guard let severity = finding["severity"]?.string, let what = finding["what"]?.string else {
        return nil
      }
      return "\(severity): \(what)"
    }
  }

  @Test func `a good server has no errors, and its lacks are named`() async throws {
    let server = try await RedisServer()
    let allim = AllimCommand(server)
    let ending = try await allim("doctor", "--json")
    #expect(ending.status == 0, "\(ending.text)")
    let found = try words(ending)
    #expect(found.contains { $0.hasPrefix("warning: the append-only file is off") })
    #expect(found.contains { $0.hasPrefix("note: no replica") })
    #expect(found.contains { $0.contains("no worker holds a lease; 0 events wait") })
    await server.stop()
  }

  @Test func `what stops work is an error with a remedy`() async throws {
    let server = try await RedisServer()
    await server.call("CONFIG", "SET", "maxmemory", "100mb", "maxmemory-policy", "allkeys-lru")
    await server.call("CONFIG", "SET", "min-replicas-to-write", "1")
    let allim = AllimCommand(server)
    let ending = try await allim("doctor")
    #expect(ending.status == 1)
    #expect(ending.text.contains("error: redis: maxmemory-policy allkeys-lru may throw keys"))
    #expect(ending.text.contains("  set maxmemory-policy noeviction"))
    #expect(ending.text.contains("min-replicas-to-write is set and no replica is in step"))
    await server.call("CONFIG", "SET", "min-replicas-to-write", "0")
    await server.call("REPLICAOF", "127.0.0.1", "1")
    #expect(try await allim("doctor").text.contains("this is a replica, which refuses writes"))
    await server.stop()
  }

  @Test func `missing permissions are named`() async throws {
    let server = try await RedisServer()
    await server.call(
      "ACL", "SETUSER", "few", "on", ">pw", "~push:*", "~{push:*", "+@all", "-hset", "-xadd",
      "-info")
    let ending = try await AllimCommand().run([
      "doctor", "--redis", "unix://few:pw@\(server.socket)",
    ])
    #expect(ending.status == 1)
    #expect(ending.text.contains("the user may not call HSET XADD on the queue's keys"))
    #expect(ending.text.contains("INFO is refused"))
    await server.call("ACL", "SETUSER", "few", "resetkeys", "~push:*")
    let other = try await AllimCommand().run([
      "doctor", "--redis", "unix://few:pw@\(server.socket)",
    ])
    #expect(other.status == 1, "\(other.text)")
    await server.stop()
  }

  @Test func `what instances that are gone hold is given back on wish`() async throws {
    let server = try await RedisServer()
    let allim = AllimCommand(server)
    await server.call("HSET", "{push:messages}:inflight:gone.0", "1", "~1;id=x;a=0;c=0;t0=1\n{}")
    await server.call("HSET", "{push:messages}:instances", "gone.0", "{}")
    let found = try await allim("doctor")
    #expect(found.status == 1)
    #expect(found.text.contains("1 items lie with 1 instances without a lease"))
    #expect(try await allim("doctor", "--fix").status == 0)
    #expect(await server.call("LLEN", "push:messages") == .integer(1))
    #expect(await server.call("HLEN", "{push:messages}:instances") == .integer(0))
    await server.call("SET", "{push:messages}:dead", "text")
    let wrong = try await allim("doctor")
    #expect(wrong.status == 1)
    #expect(wrong.text.contains("{push:messages}:dead is a string and must be a list"))
    await server.stop()
  }

  @Test func `no server is exit code 3`() async throws {
    let ending = try await AllimCommand().run(["doctor", "--redis", "unix:///nowhere/redis.sock"])
    #expect(ending.status == 3)
    #expect(ending.text.contains("error: redis: it does not serve us"))
  }

  @Test func `providers are asked without reaching anybody, and open key files are seen`()
    async throws
  {
    let server = try await RedisServer()
    try await onLoop { loop in
      let simulator = try await RunningSimulator(on: loop)
      let words = [
        "doctor", "--send-test", "--config", simulator.configuration, "--redis",
        "unix://\(server.socket)",
      ]
      setMode(simulator.folder.file("sim/AuthKey_SIMKEY0001.p8"), 0o644)
      let ending = try await AllimCommand().run(words)
      #expect(ending.status == 0, "\(ending.text)")
      #expect(ending.text.contains("accepts the key (answered 400 BadDeviceToken, as it must)"))
      #expect(ending.text.contains(".fcm: the provider accepts the key (answered 200"))
      #expect(ending.text.contains("others than its owner may use"))
      await simulator.stop()
      let away = try await AllimCommand().run(words)
      #expect(away.status == 1)
      #expect(away.text.contains("the provider was not reached"))
    }
    await server.stop()
  }
}

private func setMode(_ path: String, _ mode: UInt32) { _ = unsafe chmod(path, mode) }
