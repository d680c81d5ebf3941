package import PushModel

/// One credential of one provider on one loop: the seam to APNs and FCM.
package protocol PushProvider: AnyObject {
  var key: CredentialKey { get }
  /// Whether work may go out now, asked before each push; its change is told by `onGateChange`.
  var gate: CredentialGate { get }
  /// Called on the loop when `gate` may have changed.
  var onGateChange: (() -> Void)? { get set }
  /// Pushes that are worth sending now, since they can soon go; more would only wait for their
  /// places. `Int.max` where nothing limits the rate.
  var room: Int { get }
  /// Pushes that may wait there for their places; `Int.max` where nothing limits the rate.
  var depth: Int { get }
  /// Called on the loop when there is `room` again.
  var onRoom: (() -> Void)? { get set }
  /// Sends one push and tells it what became of it; nothing is thrown, since from here on what
  /// happened is data. It is told within the request's deadline plus the wait for a connection.
  func send(_ push: consuming any OutgoingPush)
  /// Stops opening connections and ends the open ones after their requests.
  func shutDown() async
  /// Ends all sends under way at once, as unknown or never sent: a shutdown's time is over.
  func cutOff()
}

/// One push on its way through a provider, which calls it on the loop.
///
/// Calls and not `async`: a push costs a tenth less without the task switches, and what waits keeps
/// no frames.
package protocol OutgoingPush: AnyObject {
  /// The message, from `build` until `ended`.
  var request: PushRequest { get }
  /// Among pushes that wait for a place on a connection the lower one goes first.
  var precedence: UInt8 { get }
  /// Builds the message: it has its place on a connection and leaves now, in monotonic nanoseconds.
  /// False when there is nothing to be sent any more; then it is not told of any end. It must not
  /// call the provider.
  func build(at now: Int64) -> Bool
  /// What became of it. May come within `send`.
  func ended(_ outcome: SendOutcome)
}

/// Whether work for a credential may go out: what its breaker says.
package enum CredentialGate: Sendable, Equatable {
  /// As many as lanes allow.
  case open
  /// At most this many at once on this loop: 1 is the breaker's probe, then slow start.
  case limited(Int)
  /// None: its targets wait in the parked list, unspent.
  case shut
}

extension PushProvider {
  /// Sends a message that is built already and waits for what becomes of it.
  package func send(_ request: PushRequest) async -> SendOutcome {
    await withCheckedContinuation { send(BuiltPush(request, $0)) }
  }
}

private final class BuiltPush: OutgoingPush {
  let request: PushRequest
  let precedence: UInt8 = 0
  private let waiter: CheckedContinuation<SendOutcome, Never>

  init(_ request: PushRequest, _ waiter: CheckedContinuation<SendOutcome, Never>) {
    self.request = request
    self.waiter = waiter
  }

  func build(at now: Int64) -> Bool { true }

  func ended(_ outcome: SendOutcome) { waiter.resume(returning: outcome) }
}
