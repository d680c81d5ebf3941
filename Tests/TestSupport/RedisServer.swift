internal import Glibc
internal import LoopIO
package import RedisClient
package import Testing

/// A redis-server of a test's own: a folder, a unix socket, no port; it ends with the tests.
package actor RedisServer {
  /// Lives as long as the process, since a child ends with the thread that spawned it.
  private static let loop: Loop = {
    let loop = Loop(name: "redis-servers")
    loop.start()
    return loop
  }()

  /// The server of the suite or test that has the trait `.redis`.
  @TaskLocal package static var current: RedisServer?

  package nonisolated let folder = TemporaryFolder()
  private var arguments: [String]
  /// Lines of a configuration file, which a sentinel must have and writes to.
  private let sentinel: [String]
  private var child: ChildProcess?

  package nonisolated var unownedExecutor: UnownedSerialExecutor {
    unsafe Self.loop.asUnownedSerialExecutor()
  }

  package nonisolated var socket: String { folder.file("redis.sock") }

  package nonisolated var url: RedisURL { RedisURL(endpoint: .unix(path: socket)) }

  /// Starts a server with further arguments of redis-server, such as `--appendonly yes`.
  package init(_ arguments: [String] = []) async throws {
    self.arguments = arguments
    sentinel = []
    try await start()
  }

  /// Starts a sentinel with these lines of configuration.
  init(sentinel: [String]) async throws {
    arguments = []
    self.sentinel = sentinel
    try await start()
  }

  /// Starts it (again) and waits until it answers.
  package func start() async throws {
    // The caller's task may prefer another loop, and what is called from here follows the task.
    try await Task(executorPreference: Self.loop) { try await self.startHere() }.value
  }

  private func startHere() async throws {
    let words = sentinel.isEmpty ? serverWords() : sentinelWords()
    child = try ChildProcess(on: Self.loop, "/usr/bin/redis-server", words, output: .discard)
    var trouble = ""
    let answers = await eventually(on: Self.loop) {
      do throws(RedisError) {
        let connection = try await RedisConnection.connect(
          to: url, on: Self.loop, timeout: .seconds(1))
        defer { connection.close() }
        // With a password set, "NOAUTH" is as good an answer as "PONG".
        _ = try await connection.call(RedisCommand("PING"), timeout: .seconds(1)).get()
        return true
      } catch {
        trouble = "\(error)"
        return error.code == .noAuth
      }
    }
    let log = read(folder.file("redis.log")).map {
      String(decoding: $0.suffix(2_000), as: UTF8.self)
    }
    try #require(answers, "redis-server did not start: \(trouble) \(log ?? "no log")")
  }

  private func serverWords() -> [String] {
    ["--port", "0", "--unixsocket", socket, "--dir", folder.path, "--save", ""]
      + ["--logfile", folder.file("redis.log"), "--daemonize", "no"] + arguments
  }

  private func sentinelWords() -> [String] {
    let file = folder.file("sentinel.conf")
    // Started again, it goes on with what it has learnt.
    if read(file) == nil {
      let lines = sentinel + ["unixsocket \(socket)", "dir \(folder.path)"]
      write(Array(lines.joined(separator: "\n").utf8), to: file)
    }
    return [file, "--sentinel", "--logfile", folder.file("redis.log")]
  }

  /// Sends one command over a connection of its own, as an administrator on this machine would.
  @discardableResult
  package nonisolated func call(_ words: String...) async -> RedisReply {
    var command = RedisCommand()
    for word in words { command.append(word) }
    let (url, sent) = (url, command)
    return await Task(executorPreference: Self.loop) {
      do throws(RedisError) {
        let connection = try await RedisConnection.connect(
          to: url, on: Self.loop, timeout: .seconds(5))
        defer { connection.close() }
        return await connection.call(sent, timeout: .seconds(30))
      } catch {
        return .error(error)
      }
    }.value
  }

  /// Adds arguments for the next start.
  package func add(_ arguments: [String]) { self.arguments += arguments }

  package static func freePort() async throws -> Int { try await freePorts(1)[0] }

  /// Ports that were free a moment ago, all different.
  static func freePorts(_ count: Int) async throws -> [Int] {
    try await Task(executorPreference: loop) {
      let listeners = try (0..<count).map { _ in try listenerOnFreePort(on: loop) }
      defer { for listener in listeners { listener.close() } }
      return listeners.map(\.port)
    }.value
  }

  static func waitUntil(
    within limit: Duration = .seconds(60), _ condition: @escaping @Sendable () async -> Bool
  ) async -> Bool {
    await Task(executorPreference: loop) {
      await TestSupport.eventually(within: limit, on: loop, condition)
    }.value
  }

  /// Ends it as a power cut of the process would: SIGKILL.
  package func kill() async { await end(SIGKILL) }

  package func stop() async { await end(SIGTERM) }

  private func end(_ signal: Int32) async {
    child?.kill(signal)
    _ = await child?.waitForExit()
    child = nil
    unsafe unlink(socket)
  }

  /// Stops it without ending it (SIGSTOP), as a hung machine would; `resume` lets it go on.
  package func freeze() { child?.kill(SIGSTOP) }
  package func resume() { child?.kill(SIGCONT) }
}

/// Gives a suite or a test a Redis of its own: `@Suite(.redis) struct …`, then `redis()`.
package struct RedisTrait: SuiteTrait, TestTrait, TestScoping {
  let arguments: [String]

  package var isRecursive: Bool { false }  // once around the suite, not around each test

  package func provideScope(
    for test: Test, testCase: Test.Case?,
    performing body: @concurrent @Sendable () async throws -> Void
  ) async throws {
    let server = try await RedisServer(arguments)
    do {
      try await RedisServer.$current.withValue(server) { try await body() }
    } catch {
      await server.stop()
      throw error
    }
    await server.stop()
  }
}

extension Trait where Self == RedisTrait {
  package static var redis: RedisTrait { RedisTrait(arguments: []) }

  /// With further arguments of redis-server.
  package static func redis(_ arguments: String...) -> RedisTrait {
    RedisTrait(arguments: arguments)
  }
}

/// The server of the trait around the running test.
package func redis() throws -> RedisServer { try #require(RedisServer.current) }
