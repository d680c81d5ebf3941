/// Who has a pool send a request.
package protocol PoolClient: AnyObject {
  /// The request has its place on a connection at this moment (monotonic nanoseconds): fills it,
  /// unless an earlier call has. False when there is nothing to be sent any more: then it leaves the
  /// pool and hears of no outcome. It must not call the pool.
  func fill(_ request: PoolRequest, at now: Int64) -> Bool
  /// What became of the request, which may be filled again from then on. Called on the loop, never
  /// within a call of the pool.
  func ended(_ request: PoolRequest, _ outcome: RequestOutcome)
}

/// One request of a pool.
///
/// Whoever sends many keeps and fills them again: then a push allocates none, and a connection that
/// takes one counts a single owner. Nobody but `PoolClient.fill` may write to one between `send` and
/// its end.
package final class PoolRequest {
  /// A refused request is sent again by the pool so many times; then its client hears of it.
  static let mostResends = 3

  package var headers: HeaderBlock
  package var body: [UInt8] = []
  /// Among those that wait for a place the lower one goes first.
  package var precedence: UInt8 = 0
  /// Since when it waits for a place.
  var since: Int64 = 0
  var resends = 0
  /// What became of it, until its client has been told.
  private var outcome: RequestOutcome?
  private let client: any PoolClient

  /// It keeps its client alive.
  package init(_ headers: HeaderBlock, for client: any PoolClient) {
    self.headers = headers
    self.client = client
  }

  /// False when there is nothing to be sent any more; then nobody waits for it either.
  func fill(at now: Int64) -> Bool { client.fill(self, at: now) }

  func end(_ outcome: consuming RequestOutcome) { self.outcome = outcome }

  /// Tells the client.
  func tell() {
    if let outcome = outcome.take() { client.ended(self, outcome) }
  }
}
