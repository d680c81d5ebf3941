/// One request of a pool, with the caller that waits for it.
///
/// Whoever sends many keeps and fills them again: then a push allocates none, and a connection that
/// takes one counts a single owner. Nobody may write to one between `send` and its end.
@safe package final class PoolRequest {
  /// A refused request is sent again by the pool so many times; then its owner hears of it.
  static let mostResends = 3

  package var headers: HeaderBlock
  package var body: [UInt8] = []
  /// Among those that wait for a place the lower one goes first.
  package var precedence: UInt8 = 0
  /// Since when it waits for a place.
  var since: Int64 = 0
  var resends = 0
  /// Who is told what became of it; nil when nobody waits.
  var waiter: UnsafeContinuation<RequestOutcome, Never>?

  package init(_ headers: HeaderBlock) { self.headers = headers }

  /// Tells the caller. It may be filled again from then on.
  func end(_ outcome: RequestOutcome) {
    guard let waiter = unsafe waiter else { return }
    unsafe self.waiter = nil
    unsafe waiter.resume(returning: outcome)
  }
}
