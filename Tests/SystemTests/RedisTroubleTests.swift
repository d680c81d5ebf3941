import LoopIO
import RedisClient
import TestSupport
import Testing

/// Each trouble that a Redis can be in, with a real one: the worker waits, says so in few lines,
/// loses nothing, and goes on by itself.
@Suite(.serialized) struct RedisTroubleTests {
  enum Trouble: String, CaseIterable, Sendable {
    case killed, frozen, loading, misconf, noReplicas, busy, scriptFlush, unblocked, denied
    case wrongPassword, wrongType

    /// What a line of the log must say; nil when nothing needs to be said.
    var word: String? {
      switch self {
      case .loading: "LOADING"
      case .misconf: "MISCONF"
      case .noReplicas: "NOREPLICAS"
      case .busy: "BUSY"
      case .denied: "NOPERM"
      case .wrongPassword: "WRONGPASS"
      case .wrongType: "WRONGTYPE"
      case .killed, .frozen: "unreachable"
      case .scriptFlush, .unblocked: nil
      }
    }
  }

  @Test(.timeLimit(.minutes(3)), arguments: Trouble.allCases)
  func `the worker waits, says little, loses nothing and goes on`(
    _ trouble: Trouble
  ) async throws {
    let server = try await RedisServer([
      "--appendonly", "yes", "--enable-debug-command", "yes", "--busy-reply-threshold", "100",
      "--user", "svc", "on", ">right", "~*", "+@all",
    ])
    try await onLoop { loop in
      let stage = try await TroubleStage(
        on: loop, worker: "unix://svc:right@\(server.socket)",
        producer: RedisClient(server.url, on: loop))
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      let before = stage.log.count
      await stage.push(20)
      try await begin(trouble, server, loop)
      if let word = trouble.word {
        let isTold = await eventually(on: loop) {
          stage.log.dropFirst(before).contains { $0.contains(word) }
        }
        #expect(isTold, "nothing tells of \(word): \(stage.log.suffix(3))")
      }
      try await loop.sleep(.seconds(1))
      try await end(trouble, server)
      await stage.push(20)
      #expect(await stage.allAreAccepted())
      // A sentence for each of take, beat, join and results, and one more when its cause changes.
      let lines = stage.log.dropFirst(before)
      #expect(lines.count < 20, "\(lines.count) lines")
      #expect(!lines.contains { $0.contains("right@") || $0.contains("hello") })
      await stage.stop()
    }
    await server.stop()
  }

  private func begin(_ trouble: Trouble, _ server: RedisServer, _ loop: Loop) async throws {
    switch trouble {
    case .killed: await server.kill()
    case .frozen: await server.freeze()
    case .loading:
      // Keys that take their time to load, beside the queue's.
      await server.call("DEBUG", "POPULATE", "200", "slow")
      await server.call("BGREWRITEAOF")
      let isWritten = await eventually(on: loop) {
        let info = await server.call("INFO", "persistence").text ?? ""
        return info.contains("aof_rewrite_in_progress:0")
          && info.contains("aof_rewrite_scheduled:0")
      }
      #expect(isWritten)
      await server.kill()
      // Without the second one Redis looks at no client in between.
      await server.add([
        "--key-load-delay", "10000", "--loading-process-events-interval-bytes", "1024",
      ])
      try await server.start()
    case .misconf:
      // A folder where the snapshot should go: it cannot be renamed to that.
      makeFolder(server.folder.file("dump.rdb"))
      await server.call("CONFIG", "SET", "save", "3600 1")
      await server.call("BGSAVE")
      let failed = await eventually(on: loop) {
        await server.call("INFO", "persistence").text?.contains("bgsave_status:err") == true
      }
      #expect(failed)
    case .noReplicas: await server.call("CONFIG", "SET", "min-replicas-to-write", "1")
    case .busy:
      // Nobody waits for its end, which comes by SCRIPT KILL.
      Task { await server.call("EVAL", "while true do end", "0") }
    case .scriptFlush: await server.call("SCRIPT", "FLUSH")
    case .unblocked:
      for client in (await server.call("CLIENT", "LIST").text ?? "").split(separator: "\n")
      where client.contains("cmd=blmove") {
        let id = client.dropFirst("id=".count).prefix { $0 != " " }
        await server.call("CLIENT", "UNBLOCK", String(id), "ERROR")
      }
    case .denied: await server.call("ACL", "SETUSER", "svc", "-@scripting")
    case .wrongPassword:
      await server.call("ACL", "SETUSER", "svc", "resetpass", ">other")
      await server.call("CLIENT", "KILL", "USER", "svc")
    case .wrongType:
      let drained = await eventually(on: loop) {
        await server.call("LLEN", "push:messages") == .integer(0)
      }
      #expect(drained)
      await server.call("SET", "push:messages", "text")
    }
  }

  private func end(_ trouble: Trouble, _ server: RedisServer) async throws {
    switch trouble {
    case .killed: try await server.start()
    case .frozen: await server.resume()
    case .loading, .scriptFlush, .unblocked: break
    case .misconf:
      removeFolder(server.folder.file("dump.rdb"))
      await server.call("BGSAVE")
    case .noReplicas: await server.call("CONFIG", "SET", "min-replicas-to-write", "0")
    case .busy: await server.call("SCRIPT", "KILL")
    case .denied: await server.call("ACL", "SETUSER", "svc", "+@scripting")
    case .wrongPassword: await server.call("ACL", "SETUSER", "svc", "resetpass", ">right")
    case .wrongType: await server.call("DEL", "push:messages")
    }
  }
}
