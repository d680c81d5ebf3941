internal import Glibc
package import LoopIO
package import PushWorker
package import RedisClient

/// The private redis-server of a worker without configuration (OPERATIONS 1).
///
/// It lives in `./.allim`, listens on a unix socket alone and ends with the worker that started it,
/// also when that is killed. A second worker in the folder joins the socket that answers.
package final class EmbeddedRedis {
  /// The folder of all that a worker without configuration keeps.
  package static let folder = ".allim"
  /// Where every verb without a URL looks.
  package static let url = RedisURL(endpoint: .unix(path: folder + "/redis.sock"))

  private let loop: Loop
  private let socket: String
  private var child: ChildProcess?

  /// True when this worker started the server, and so ends it.
  package var isOwner: Bool { child != nil }

  private init(on loop: Loop, socket: String) {
    self.loop = loop
    self.socket = socket
  }

  /// Joins the server of the folder, or starts it; a dead socket is taken over.
  package static func open(
    on loop: Loop, in directory: String = folder
  ) async throws(QueueError) -> EmbeddedRedis {
    let redis = EmbeddedRedis(on: loop, socket: directory + "/redis.sock")
    unsafe mkdir(directory, 0o700)
    let lock = try FolderLock(directory + "/lock")
    defer { lock.release() }
    if await redis.answers() { return redis }
    unsafe unlink(redis.socket)
    try redis.start(directory)
    try await redis.waitUntilReady()
    return redis
  }

  private func start(_ directory: String) throws(QueueError) {
    guard let program = Self.program else {
      throw QueueError(
        .misconfigured, "redis-server is not installed: apt-get install redis-server")
    }
    let arguments = [
      "--port", "0", "--unixsocket", "redis.sock", "--unixsocketperm", "600",
      // What was acknowledged survives a killed process; a power loss may take a second.
      "--appendonly", "yes", "--appendfsync", "everysec", "--save", "",
      "--daemonize", "no", "--logfile", "redis.log", "--pidfile", "redis.pid",
    ]
    do throws(StreamError) {
      child = try ChildProcess(
        on: loop, program, arguments, directory: directory, output: .discard)
    } catch {
      throw QueueError(.misconfigured, error.detail)
    }
  }

  private static var program: String? {
    ["/usr/bin/redis-server", "/usr/local/bin/redis-server"].first { unsafe access($0, X_OK) == 0 }
  }

  private func waitUntilReady() async throws(QueueError) {
    // A long append-only file takes its time; the child's end is noticed at once.
    for _ in 0..<6_000 {
      if await answers() { return }
      if let exit = child?.exit {
        throw QueueError(
          .misconfigured, "the embedded redis-server ended with \(exit.code); see .allim/redis.log")
      }
      try? await loop.sleep(.milliseconds(10))
    }
    throw QueueError(.unreachable, "the embedded redis-server does not answer")
  }

  private func answers() async -> Bool {
    let url = RedisURL(endpoint: .unix(path: socket))
    do throws(RedisError) {
      let connection = try await RedisConnection.connect(
        to: url, on: loop, timeout: .seconds(1))
      defer { connection.close() }
      let reply = await connection.call(RedisCommand("PING"), timeout: .seconds(1))
      return reply.text == "PONG"
    } catch {
      return false
    }
  }

  /// Ends the server when it is ours, and waits until its file is written.
  package func stop() async {
    guard let child else { return }
    child.kill(SIGTERM)
    _ = await child.waitForExit()
  }
}

/// Two workers that start at once must not start two servers.
private struct FolderLock {
  private let descriptor: Int32

  init(_ path: String) throws(QueueError) {
    descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor < 0 || flock(descriptor, LOCK_EX) != 0 {
      throw QueueError(.misconfigured, "cannot write to \(path)")
    }
  }

  func release() { close(descriptor) }
}
