import LoopIO
import SharedState

/// Opens connections to single servers, as whom the URL names.
struct ServerConnector {
  let url: RedisURL
  let tls: TLSContext?
  let serverName: String?
  let loop: Loop
  let clock: any PushClock

  /// A connection that has logged in and selected the database.
  func connect(
    to endpoint: Endpoint, within timeout: Duration
  ) async throws(RedisError) -> RedisConnection {
    let connection = try await open(endpoint, within: timeout)
    try await connection.logIn(url, timeout)
    return connection
  }

  /// A connection on which nothing has been sent.
  func open(
    _ endpoint: Endpoint, within timeout: Duration
  ) async throws(RedisError) -> RedisConnection {
    guard !url.usesTLS || tls != nil else { throw RedisError(.badURL, "no TLS settings") }
    let stream: ByteStream
    do {
      stream = try await ByteStream.connect(
        to: endpoint, tls: url.usesTLS ? tls : nil, serverName: serverName, on: loop,
        timeout: timeout)
    } catch {
      throw RedisError(error.kind == .cancelled ? .cancelled : .unreachable, error.detail)
    }
    stream.setUserTimeout(.seconds(15))
    return try RedisConnection(stream, to: endpoint, on: loop, clock: clock)
  }
}
