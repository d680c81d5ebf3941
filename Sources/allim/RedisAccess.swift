internal import LoopIO
internal import PushQueue
internal import PushSettings
internal import PushWorker
internal import RedisClient
internal import SharedState

/// The way from the configuration to Redis, for operators' commands.
struct RedisAccess: Sendable {
  var loaded: LoadedSettings
  /// The queue that a command is about.
  var queue: String

  init(_ invocation: Invocation) throws(CommandFailure) {
    loaded = try invocation.loadSettings(isForWorker: false)
    queue = invocation.value("--queue") ?? loaded.settings.queues[0].name
  }

  /// The queue that `--queue` names, else all of the configuration.
  func queues(of invocation: Invocation) -> [String] {
    invocation.value("--queue").map { [$0] } ?? loaded.settings.queues.map(\.name)
  }

  /// What people may read; no password.
  var shownPlace: String { loaded.settings.redis.shownPlace }

  /// Runs `body` with the queue; ends the connection afterwards.
  func withQueue(
    _ body: @escaping @Sendable (QueueInspector, Loop) async throws -> ExitCode
  ) throws(CommandFailure) -> ExitCode {
    try withQueues([queue]) { try await body($0[0], $1) }
  }

  /// Runs `body` with some queues, in their order; ends the connections afterwards.
  func withQueues(
    _ names: [String],
    _ body: @escaping @Sendable ([QueueInspector], Loop) async throws -> ExitCode
  ) throws(CommandFailure) -> ExitCode {
    try onLoop { [self] loop async throws(CommandFailure) in
      var clients: [RedisClient] = []
      defer { for client in clients { client.close() } }
      do {
        clients = try loaded.settings.redis.clients(for: names, on: loop)
        let queues = try zip(names, clients).map { try QueueInspector($0, $1) }
        return try await body(queues, loop)
      } catch let error as QueueError {
        throw failure(error)
      } catch let error as CommandFailure {
        throw error
      } catch { throw CommandFailure(.failed, "\(error)") }
    }
  }

  private func failure(_ error: QueueError) -> CommandFailure {
    let message = "redis (\(shownPlace)): \(error.detail)"
    switch error.code {
    case .unreachable where loaded.settings.redis.url == nil:
      return CommandFailure(
        .redisUnreachable,
        "no redis.url is configured, and ./\(EmbeddedRedis.folder)/redis.sock does not answer: \(error.detail)"
      )
    case .unreachable: return CommandFailure(.redisUnreachable, message)
    case .misconfigured: return CommandFailure(.misuse, message)
    case .fenced, .refusing, .cancelled: return CommandFailure(.failed, message)
    }
  }
}

extension Settings.Redis {
  /// What people may read; no password.
  var shownPlace: String {
    guard let url else { return "embedded" }
    return (try? RedisURL(url))?.description ?? "redis"
  }

  /// A client that connects when it is first asked, in a cluster to the node that holds the queue;
  /// without a URL, to the folder's private Redis.
  func client(
    for queue: String, on loop: Loop, clock: any PushClock = SystemClock()
  ) throws(CommandFailure) -> RedisClient {
    guard let url else {
      return RedisClient(EmbeddedRedis.url, on: loop, clock: clock)
    }
    do throws(RedisError) {
      let place = try RedisURL(url)
      let tls = place.usesTLS ? try tls.context() : nil
      return RedisClient(
        place, tls: tls, serverName: tls == nil ? nil : self.tls.serverName, key: queue, on: loop,
        clock: clock)
    } catch { throw CommandFailure(.misuse, "redis.url: \(error.detail)") }
  }
}

extension Settings.Redis {
  /// A client for each queue, in their order: in a cluster each may be on another node, elsewhere
  /// it is the same one.
  func clients(
    for queues: [String], on loop: Loop, clock: any PushClock = SystemClock()
  ) throws(CommandFailure) -> [RedisClient] {
    var clients: [RedisClient] = []
    for queue in queues {
      if let first = clients.first, first.url.kind != .cluster {
        clients.append(first)
      } else {
        clients.append(try client(for: queue, on: loop, clock: clock))
      }
    }
    return clients
  }
}

extension Settings.Redis.TLS {
  fileprivate func context() throws(RedisError) -> TLSContext {
    do {
      return try TLSContext.client(caFile: caFile, identity: try identity(), alpn: [])
    } catch let error as StreamError {
      throw RedisError(.badURL, "redis.tls: \(error.detail)")
    } catch let error as SettingsFile.Failure {
      throw RedisError(.badURL, "redis.tls: \(error.reason)")
    } catch { throw RedisError(.badURL, "redis.tls: \(error)") }
  }

  private func identity() throws(SettingsFile.Failure) -> TLSIdentity? {
    guard let certFile, let keyFile else { return nil }
    return TLSIdentity(
      certificateChainPEM: try SettingsFile.read(certFile),
      privateKeyPEM: try SettingsFile.read(keyFile))
  }
}
