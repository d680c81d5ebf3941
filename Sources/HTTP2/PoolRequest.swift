/// One request of a pool; a subclass fills it when its place is there and hears of its end.
///
/// Whoever sends many keeps and fills them again: then a push allocates none, and a connection that
/// takes one counts a single owner. A class to be inherited from and not one that knows a client: the
/// two would hold each other, and each step between them would count an owner. Nobody but `fill` may
/// write to one between `send` and its end. Open, because other modules may inherit from nothing less.
open class PoolRequest {
  /// A refused request is sent again by the pool so many times; then it hears of its end.
  static let mostResends = 3

  package final var headers: HeaderBlock
  package final var body: [UInt8] = []
  /// Among those that wait for a place the lower one goes first.
  package final var precedence: UInt8 = 0
  /// Since when it waits for a place.
  final var since: Int64 = 0
  final var resends = 0
  private final var outcome: RequestOutcome?

  package init(_ headers: HeaderBlock) { self.headers = headers }

  /// It has its place on a connection at this moment (monotonic nanoseconds): fills it. A call after
  /// the first finds it as that left it: the peer did not process it, and it goes again. False when
  /// there is nothing to be sent any more: then it leaves the pool and hears of no end. It must not
  /// call the pool.
  open func fill(at now: Int64) -> Bool { true }

  /// It has ended: `takeOutcome` says how. It may be filled again from then on. Called on the loop,
  /// never within a call of the pool.
  open func ended() {}

  /// What became of it, which it forgets; nil before its end.
  package final func takeOutcome() -> RequestOutcome? { outcome.take() }

  final func end(_ outcome: consuming RequestOutcome) { self.outcome = outcome }
}
