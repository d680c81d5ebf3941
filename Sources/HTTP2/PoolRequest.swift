/// A request with the lane that waits for it.
@safe struct PoolRequest {
  /// A refused request is sent again by the pool so many times; then its owner hears of it.
  static let mostResends = 3

  let headers: HeaderBlock
  let body: [UInt8]
  /// The lower one goes first.
  let precedence: UInt8
  let continuation: UnsafeContinuation<RequestOutcome, Never>
  /// Since when it waits for a place.
  var since: Int64
  var resends = 0
}
