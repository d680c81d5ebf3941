import LoopIO
import TestSupport
import Testing

@testable import RedisClient

@Suite(.redis) struct RedisClientTests {
  private static let password = RedisURLTests.oddPassword

  /// The suite's server, as a user who may little: no HELLO, INFO, CLIENT.
  private func userURL(_ loop: Loop, _ server: RedisServer) async throws -> RedisURL {
    let admin = RedisClient(server.url, on: loop)
    var command = RedisCommand("ACL", "SETUSER", "svc", "on", "resetpass")
    command.append(">" + Self.password)
    for word in ["~push:*", "~{push:*", "-@all", "+rpush", "+lpop", "+select", "+ping"] {
      command.append(word)
    }
    #expect(await admin.call(command) == .status("OK"))
    return try RedisURL("unix://svc:\(RedisURLTests.encoded)@\(server.socket)?db=3")
  }

  @Test func `odd passwords and the database hold over twenty killed connections`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let admin = RedisClient(server.url, on: loop)
      let client = RedisClient(try await userURL(loop, server), on: loop)
      var pushed = 0
      for _ in 0..<20 {
        let pushing = await client.call(RedisCommand("RPUSH", "push:kept", "x"))
        guard case .integer = pushing else {
          Issue.record("\(pushing)")
          return
        }
        pushed += 1
        _ = await admin.call(RedisCommand("CLIENT", "KILL", "USER", "svc"))
        #expect(await eventually(on: loop) { !client.isConnected })
      }
      #expect(await admin.call(RedisCommand("EXISTS", "push:kept")) == .integer(0))
      _ = await admin.call(RedisCommand("SELECT", "3"))
      #expect(await admin.call(RedisCommand("LLEN", "push:kept")) == .integer(Int64(pushed)))
      #expect(client.connections == 20)
    }
  }

  @Test func `a wrong password is told apart and holds no password`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let admin = RedisClient(server.url, on: loop)
      _ = await admin.call(RedisCommand("ACL", "SETUSER", "other", "on", ">right"))
      let client = RedisClient(try RedisURL("unix://other:wrong@\(server.socket)"), on: loop)
      guard case .error(let error) = await client.call(RedisCommand("PING")) else {
        Issue.record("it logged in")
        return
      }
      #expect(error.code == .wrongPassword)
      #expect(!error.detail.contains("wrong@"))
    }
  }

  @Test func `a database that does not exist is an error and never database 0`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let client = RedisClient(try RedisURL("unix://\(server.socket)?db=16"), on: loop)
      for _ in 0..<2 {
        guard case .error = await client.call(RedisCommand("RPUSH", "push:zero", "x")) else {
          Issue.record("it wrote somewhere")
          return
        }
      }
      #expect(
        await RedisClient(server.url, on: loop).call(RedisCommand("EXISTS", "push:zero"))
          == .integer(0))
    }
  }

  @Test func `after a kill and a restart of Redis commands go on`() async throws {
    let server = try await RedisServer()
    try await onLoop { loop in
      let client = RedisClient(server.url, on: loop)
      #expect(await client.call(RedisCommand("PING")) == .status("PONG"))
      await server.kill()
      guard case .error = await client.call(RedisCommand("PING")) else {
        Issue.record("answered by a dead server")
        return
      }
      try await server.start()
      let works = await eventually(on: loop) {
        await client.call(RedisCommand("PING")) == .status("PONG")
      }
      #expect(works)
      #expect(client.connections == 2)
    }
    await server.stop()
  }

  @Test func `a stopped Redis costs a deadline and no more`() async throws {
    let server = try await RedisServer()
    try await onLoop { loop in
      let client = RedisClient(server.url, on: loop)
      client.timeout = .milliseconds(200)
      _ = await client.call(RedisCommand("PING"))
      _ = await client.call(RedisCommand("CLIENT", "PAUSE", "60000"))
      let begin = ContinuousClock.now
      guard case .error(let error) = await client.call(RedisCommand("PING")) else {
        Issue.record("answered while paused")
        return
      }
      #expect(error.code == .timeout)
      #expect(begin.duration(to: .now) < .seconds(30))
    }
    await server.stop()
  }

  @Test func `those who wait share one attempt`() async throws {
    let server = try redis()
    try await onLoop { loop in
      let client = RedisClient(server.url, on: loop)
      let shared = UncheckedBox(client)
      await withTaskGroup(of: RedisReply.self) { group in
        for _ in 0..<50 {
          group.addTask(executorPreference: loop) {
            await shared.value.call(RedisCommand("PING"))
          }
        }
        for await reply in group { #expect(reply == .status("PONG")) }
      }
      #expect(client.connections == 1)
    }
  }
}

/// An actor of a loop, called by tasks that prefer no executor.
private actor LoopActor {
  private let loop: Loop
  private let url: RedisURL

  init(_ loop: Loop, _ url: RedisURL) {
    self.loop = loop
    self.url = url
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe loop.asUnownedSerialExecutor()
  }

  func ping() async -> RedisReply? {
    let client = RedisClient(url, on: loop)
    guard let connection = try? await client.connected() else { return nil }
    let pending = connection.start(RedisCommand("PING"), timeout: .seconds(5))
    defer { connection.close() }
    return await pending.valueUnlessCancelled(on: loop)
  }
}

extension RedisClientTests {
  @Test func `an actor of the loop may use it whatever its caller prefers`() async throws {
    let loop = Loop(name: "actor")
    loop.start()
    defer { loop.stop() }
    let user = LoopActor(loop, try redis().url)
    for _ in 0..<50 { #expect(await user.ping() == .status("PONG")) }
  }
}

@Suite struct PendingReplyTests {
  /// Touched on the loop alone.
  private final class Flag { var isSet = false }

  /// Turns of the loop between the beginning of a wait and what ends it.
  private static func end(
    after turns: Int, on loop: Loop, _ end: @escaping @Sendable (PendingReply) -> Void
  ) async -> Bool {
    let pending = UncheckedBox(PendingReply(deadline: .max))
    let isOver = UncheckedBox(Flag())
    let waiting = Task(executorPreference: loop) {
      _ = await pending.value.valueUnlessCancelled(on: loop)
      isOver.value.isSet = true
    }
    for _ in 0..<turns { await Task.yield() }
    end(pending.value)
    waiting.cancel()
    return await eventually(within: .seconds(20), on: loop) { isOver.value.isSet }
  }

  @Test func `a wait ends whenever its answer or its cancellation comes`() async throws {
    try await onLoop { loop in
      for turns in 0..<8 {
        #expect(await Self.end(after: turns, on: loop) { $0.resolve(.null) }, "\(turns)")
        #expect(await Self.end(after: turns, on: loop) { $0.giveUp() }, "\(turns)")
        #expect(await Self.end(after: turns, on: loop) { _ in }, "\(turns)")
      }
    }
  }
}

@Suite struct BackoffTests {
  @Test func `pauses double up to five seconds and start anew only after a success`() {
    var backoff = Backoff()
    var pauses: [Int64] = []
    for _ in 0..<12 {
      backoff.failed(now: 0, random: 0.999_999)
      pauses.append(backoff.notBefore / 1_000_000)
    }
    #expect(pauses.prefix(4).elementsEqual([49, 99, 199, 399]))
    #expect(pauses.suffix(2).allSatisfy { $0 == 4_999 })
    backoff.succeeded()
    backoff.failed(now: 0, random: 0)
    #expect(backoff.notBefore == 25_000_000)
  }
}
