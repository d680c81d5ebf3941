import LoopIO

/// Finds the server to talk to, anew for each connection, and connects to it.
protocol ServerFinder: AnyObject {
  /// A connection that may be used.
  func connect() async throws(RedisError) -> RedisConnection
  /// `connection` is about to be used: the moment to look, now and then, whether it still leads to
  /// the right server. One that does not is closed.
  func glance(at connection: RedisConnection)
  /// A server said that it is not the one for us (MOVED, CLUSTERDOWN); true when the connection
  /// that said so is of no more use.
  func redirected(by error: RedisError, from connection: RedisConnection) -> Bool
  /// Ends what it keeps open.
  func close()
}

extension ServerFinder {
  func glance(at connection: RedisConnection) {}
  func redirected(by error: RedisError, from connection: RedisConnection) -> Bool { false }
  func close() {}
}

/// There is one server.
final class SingleServer: ServerFinder {
  private let connector: ServerConnector

  init(_ connector: ServerConnector) { self.connector = connector }

  func connect() async throws(RedisError) -> RedisConnection {
    try await connector.connect(to: connector.url.endpoint, within: .seconds(5))
  }
}
