import LoopIO
import SharedState

/// Asks sentinels where the master is, anew for each connection, since it is another one after a
/// fail-over; and asks again while a connection is used, since a master that was cut off from its
/// sentinels goes on answering.
///
/// Sentinels often know other users than Redis, or none: the URL's login is tried with them, and
/// when it is refused they are asked without.
final class SentinelFinder: ServerFinder {
  /// How long one sentinel may take to connect and to answer before the next one is asked.
  private static let patience = Duration.seconds(1)
  private static let glanceEvery = Duration.seconds(2)

  private let connector: ServerConnector
  private let master: String
  /// The one that answered last is asked first.
  private var sentinels: [Endpoint]
  /// Kept for the glances.
  private var watch: RedisConnection?
  private var glancing: Task<Void, Never>?
  private var nextGlance = Int64.min

  init(_ connector: ServerConnector, master: String) {
    self.connector = connector
    self.master = master
    sentinels = connector.url.endpoints
  }

  func connect() async throws(RedisError) -> RedisConnection {
    let endpoint = try await findMaster()
    let connection = try await connector.connect(to: endpoint, within: .seconds(5))
    do {
      try await checkRole(of: connection)
    } catch {
      connection.close()
      throw error
    }
    nextGlance = connector.clock.monotonic() + Self.glanceEvery.nanoseconds
    return connection
  }

  /// For some time after a fail-over sentinels may name the old master, or one that is still being
  /// promoted. A user who may not ask for the role trusts the sentinels.
  private func checkRole(of connection: RedisConnection) async throws(RedisError) {
    let reply = await connection.call(RedisCommand("ROLE"), timeout: .seconds(5))
    if case .error(let error) = reply {
      if error.code == .noPermission { return }
      throw error
    }
    guard reply.array?.first?.text == "master" else {
      throw RedisError(.readOnly, "\(connection.endpoint) is not the master (yet)")
    }
  }

  // MARK: Asking

  private func findMaster() async throws(RedisError) -> Endpoint {
    var trouble = RedisError(.unreachable, "no sentinel answers")
    for sentinel in sentinels {
      do throws(RedisError) {
        let connection = try await open(sentinel)
        let found = try await ask(connection)
        keep(connection)
        sentinels.removeAll { $0 == sentinel }
        sentinels.insert(sentinel, at: 0)
        return found
      } catch {
        if error.code == .cancelled { throw error }
        trouble = RedisError(error.code, "sentinel \(sentinel): \(error.detail)")
      }
    }
    throw trouble
  }

  private func keep(_ connection: RedisConnection) {
    if watch !== connection { watch?.close() }
    watch = connection
  }

  private func open(_ sentinel: Endpoint) async throws(RedisError) -> RedisConnection {
    if let watch, watch.isOpen, watch.endpoint == sentinel { return watch }
    let connection = try await connector.open(sentinel, within: Self.patience)
    if let login = connector.url.login {
      // Its refusal means that this sentinel has no such user: then the question itself shows
      // whether it needs one.
      _ = await connection.call(login, timeout: Self.patience)
    }
    return connection
  }

  private func ask(_ connection: RedisConnection) async throws(RedisError) -> Endpoint {
    let question = RedisCommand("SENTINEL", "get-master-addr-by-name", master)
    do throws(RedisError) {
      let reply = try await connection.call(question, timeout: Self.patience).get()
      guard let words = reply.array?.compactMap(\.text), words.count == 2,
        let port = Int(words[1])
      else {
        throw RedisError(.unreachable, "it knows no master named \"\(master)\"")
      }
      return .tcp(host: words[0], port: port)
    } catch {
      connection.close()
      throw error
    }
  }

  // MARK: Glancing

  func glance(at connection: RedisConnection) {
    let now = connector.clock.monotonic()
    guard now >= nextGlance, glancing == nil else { return }
    nextGlance = now + Self.glanceEvery.nanoseconds
    let pair = LoopOnly((finder: self, connection: connection))
    // Nobody waits for it: it ends within the sentinels' patience, or when the finder is closed.
    glancing = Task(executorPreference: connector.loop) {
      await pair.value.finder.compare(pair.value.connection)
    }
  }

  /// When no sentinel answers, the connection stays: there is nothing better.
  private func compare(_ connection: RedisConnection) async {
    let found = try? await findMaster()
    glancing = nil
    if let found, found != connection.endpoint { connection.close() }
  }

  func close() {
    glancing?.cancel()
    watch?.close()
    watch = nil
  }
}
