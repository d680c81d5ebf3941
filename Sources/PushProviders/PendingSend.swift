internal import HTTP2
internal import PushWorker

/// Whose sends they are.
protocol PendingSendOwner: AnyObject {
  /// The push has its place: writes its message and credential into the send. False when it does not
  /// go after all; then the send is put back.
  func fill(_ send: PendingSend, _ push: any OutgoingPush, at now: Int64) -> Bool
  /// The pool sends it once more, since the peer did not process it.
  func fillAgain(_ send: PendingSend, at now: Int64)
  func ended(_ send: PendingSend, _ outcome: RequestOutcome)
}

/// A push of one provider from `send` to its end, with its request.
final class PendingSend: PoolRequest {
  private(set) var push: (any OutgoingPush)?
  /// The breaker's number for it; nil without a breaker.
  private(set) var epoch: Int?
  /// What it carries; nil with a certificate.
  var token: ProviderToken?
  private var isFilled = false
  private let owner: any PendingSendOwner

  init(_ common: HeaderBlock, of owner: any PendingSendOwner) {
    self.owner = owner
    super.init(common)
  }

  func begin(_ push: consuming any OutgoingPush, _ epoch: Int?) {
    precedence = push.precedence
    self.push = push
    self.epoch = epoch
  }

  /// The push, which it forgets.
  func take() -> (any OutgoingPush)? {
    token = nil
    isFilled = false
    return push.take()
  }

  override func fill(at now: Int64) -> Bool {
    if isFilled {
      owner.fillAgain(self, at: now)
      return true
    }
    // Taken out meanwhile: to read it where it is would count one more owner.
    guard let push = push.take() else { preconditionFailure("a send that is no push's") }
    guard owner.fill(self, push, at: now) else { return false }
    self.push = consume push
    isFilled = true
    return true
  }

  override func ended() {
    if let outcome = takeOutcome() { owner.ended(self, outcome) }
  }
}

/// Sends that wait for their next use, filled with what all requests have in common.
///
/// As many exist as were ever under way at once; after that a send allocates none.
struct SpareSends {
  private let common: HeaderBlock
  private let mark: HeaderBlock.Mark
  private var spare: [PendingSend] = []

  /// - Parameter common: the fields of every request, pseudo headers first.
  init(common: HeaderBlock) {
    self.common = common
    mark = common.mark
  }

  mutating func take(for owner: any PendingSendOwner) -> PendingSend {
    spare.popLast() ?? PendingSend(common, of: owner)
  }

  /// Cuts it back to what all requests have in common.
  func cut(_ send: PendingSend) { send.headers.cut(back: mark) }

  /// Takes one back that has ended or does not go; the push that it was for.
  mutating func putBack(_ send: PendingSend) -> (any OutgoingPush)? {
    cut(send)
    send.body = []
    spare.append(send)
    return send.take()
  }

  /// The end: they hold their owner.
  mutating func letGo() { spare = [] }
}
