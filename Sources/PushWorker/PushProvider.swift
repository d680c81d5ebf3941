package import PushModel

/// One credential of one provider on one loop: the seam to APNs and FCM.
package protocol PushProvider: AnyObject {
  var key: CredentialKey { get }
  /// Whether work may go out now, asked before each push; its change is told by `onGateChange`.
  var gate: CredentialGate { get }
  /// Called on the loop when `gate` may have changed.
  var onGateChange: (() -> Void)? { get set }
  /// Sends one message and says what became of it; never throws, since from here on what happened
  /// is data. Returns within the request's deadline plus the wait for a connection.
  func send(_ request: PushRequest) async -> SendOutcome
  /// Stops opening connections and ends the open ones after their requests.
  func shutDown() async
  /// Ends all sends under way at once, as unknown or never sent: a shutdown's time is over.
  func cutOff()
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
