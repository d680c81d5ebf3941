import LoopIO
import RedisClient
import TestSupport
import Testing

/// `allim` as a person runs it: in a folder, with a Redis.
struct AllimCommand {
  struct Ending {
    let status: Int64
    /// Lines of standard output, and of standard error behind them.
    let lines: [String]

    var text: String { lines.joined(separator: "\n") }
  }

  let folder = TemporaryFolder()
  private let server: RedisServer?

  init(_ server: RedisServer? = nil) { self.server = server }

  /// Runs it with the server's URL; `input` goes to standard input.
  func callAsFunction(_ words: String..., input: String = "") async throws -> Ending {
    let server = try #require(server)
    return try await run(words + ["--redis", "unix://" + server.socket], input: input)
  }

  /// Runs it without a URL.
  func run(_ words: [String], input: String = "") async throws -> Ending {
    let (program, folder) = (Product("allim").path, folder.path)
    write([UInt8](input.utf8), to: folder + "/input")
    let script = #"p=$0; "$p" "$@" <input >output 2>error; s=$?; cat output error; exit $s"#
    return try await onLoop { loop in
      var lines: [String] = []
      let child = try ChildProcess(
        on: loop, "/bin/sh", ["-c", script, program] + words, directory: folder,
        output: .lines { lines.append($0) })
      let exit = await child.waitForExit()
      return Ending(status: exit.signal == 0 ? exit.code : -1, lines: lines)
    }
  }

  func redis(_ words: [String]) async throws -> RedisReply {
    let url = try #require(server).url
    return try await onLoop { loop in
      let connection = try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(5))
      defer { connection.close() }
      var command = RedisCommand()
      for word in words { command.append(word) }
      return await connection.call(command, timeout: .seconds(5))
    }
  }

  func list(_ key: String) async throws -> [String] {
    try await redis(["LRANGE", key, "0", "-1"]).array?.compactMap(\.text) ?? []
  }
}
