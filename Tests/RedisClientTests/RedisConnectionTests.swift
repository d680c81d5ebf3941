import LoopIO
import TestSupport
import Testing

@testable import RedisClient

@Suite(.redis) struct RedisConnectionTests {
  private func connected<R: Sendable>(
    _ body: @escaping @Sendable (RedisConnection, Loop) async throws -> R
  ) async throws -> R {
    let url = try redis().url
    return try await onLoop { loop in
      let connection = try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(5))
      defer { connection.close() }
      return try await body(connection, loop)
    }
  }

  private let second = Duration.seconds(1)

  @Test func `ten thousand pipelined commands are answered in order`() async throws {
    try await connected { connection, _ in
      var replies: [PendingReply] = []
      for number in 0..<10_000 {
        replies.append(
          connection.start(RedisCommand("ECHO", String(number)), timeout: .seconds(10)))
      }
      for (number, reply) in replies.enumerated() {
        let value = await reply.value()
        if value.text != String(number) { Issue.record("reply \(number) is \(value)") }
      }
      #expect(connection.pendingReplies == 0)
    }
  }

  @Test func `an error is a value and the connection goes on`() async throws {
    try await connected { connection, _ in
      let wrong = await connection.call(RedisCommand("NOSUCH", "secret"), timeout: second)
      guard case .error(let error) = wrong else {
        Issue.record("no error: \(wrong)")
        return
      }
      #expect(!error.detail.contains("secret"))
      #expect(await connection.call(RedisCommand("PING"), timeout: second) == .status("PONG"))
    }
  }

  @Test func `a large value comes back whole`() async throws {
    try await connected { connection, _ in
      let value = [UInt8]((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0 * 7) })
      var set = RedisCommand("SET", "large")
      set.append(value)
      #expect(await connection.call(set, timeout: .seconds(5)) == .status("OK"))
      let found = await connection.call(RedisCommand("GET", "large"), timeout: .seconds(5))
      #expect(found == .bytes(value))
    }
  }

  @Test func `a script that Redis forgot is sent again`() async throws {
    try await connected { connection, _ in
      var call = ScriptCall(RedisScript("return {KEYS[1], ARGV[1]}"), keys: ["k"])
      call.arguments.append("v")
      for _ in 0..<2 {
        _ = await connection.call(RedisCommand("SCRIPT", "FLUSH"), timeout: second)
        let pending = connection.start(call, timeout: second)
        let reply = await connection.finish(pending, of: call, timeout: second)
        #expect(reply.array?.map(\.text) == ["k", "v"])
      }
      let pending = connection.start(call, timeout: second)
      #expect(await pending.value().array != nil, "known now, by its digest alone")
    }
  }

  @Test func `a reply that does not come ends the connection at its deadline`() async throws {
    try await connected { connection, loop in
      _ = await connection.call(RedisCommand("PING"), timeout: second)
      let slow = connection.start(
        RedisCommand("BLPOP", "nothing-\(UInt32.random(in: 0...(.max)))", "90"),
        timeout: .milliseconds(100))
      let behind = connection.start(RedisCommand("PING"), timeout: .seconds(90))
      let begin = ContinuousClock.now
      for reply in [slow, behind] {
        guard case .error(let error) = await reply.value() else {
          Issue.record("a reply came")
          continue
        }
        #expect(error.code == .timeout)
        #expect(error.mayHaveRun)
      }
      #expect(begin.duration(to: .now) < .seconds(45))
      #expect(!connection.isOpen)
    }
  }

  @Test func `a refused connection is an error with its cause`() async throws {
    try await onLoop { loop in
      let url = RedisURL(endpoint: .unix(path: "/nowhere/redis.sock"))
      let error = try await #require(throws: RedisError.self) {
        try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(1))
      }
      #expect(error.code == .unreachable)
    }
  }
}
