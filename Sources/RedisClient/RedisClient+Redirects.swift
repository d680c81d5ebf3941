import LoopIO
import SharedState

/// What was asked, to be asked again elsewhere.
enum RedisRequest {
  case command(RedisCommand)
  case script(ScriptCall)

  /// With `asking`, to a node that a slot is moving to: ASKING holds for the one command behind it.
  func send(
    over connection: RedisConnection, asking: Bool = false, timeout: Duration
  ) async -> RedisReply {
    func ask() { if asking { _ = connection.start(RedisCommand("ASKING"), timeout: timeout) } }
    ask()
    switch self {
    case .command(let command): return await connection.call(command, timeout: timeout)
    case .script(let call):
      let reply = await connection.start(call, timeout: timeout).value()
      guard case .error(let error) = reply, error.code == .noScript else { return reply }
      ask()
      return await connection.load(call, timeout: timeout).value()
    }
  }
}

extension RedisClient {
  /// The reply, or that of the node which a cluster sent us to instead. Such an answer means that
  /// the command has not run, so it may be sent again; for at most `timeout`, since a slot that
  /// moves refuses commands of several keys until it has arrived.
  func followed(
    _ first: RedisReply, to request: RedisRequest, from connection: RedisConnection
  ) async -> RedisReply {
    guard let cluster, case .error(let error) = first, error.isOfCluster else { return first }
    let end = clock.monotonic() + timeout.nanoseconds
    var (reply, from, pause, hops) = (first, connection, Duration.milliseconds(50), 0)
    while case .error(let error) = reply, error.isOfCluster, clock.monotonic() < end {
      do throws(RedisError) {
        hops += 1
        if hops > 3 || error.code == .tryAgain || error.code == .clusterDown {
          try await sleep(pause)
          pause = min(pause * 2, .seconds(1))
        }
        if error.code == .ask {
          let aside = try await cluster.connection(askedBy: error, from: from.endpoint)
          reply = await request.send(over: aside, asking: true, timeout: timeout)
        } else {
          from = try await connected()
          reply = await request.send(over: from, timeout: timeout)
        }
      } catch {
        return .error(error)
      }
    }
    return reply
  }

  private func sleep(_ pause: Duration) async throws(RedisError) {
    do { try await loop.sleep(pause) } catch { throw RedisError(.cancelled, "cancelled") }
  }
}

extension RedisError {
  fileprivate var isOfCluster: Bool {
    switch code {
    case .moved, .ask, .tryAgain, .clusterDown: true
    default: false
    }
  }
}
