import PushCodec
import PushModel

/// Turns the failed targets of an item into what the item leaves in Redis.
struct Leavings {
  let codec: MessageCodec
  let worker: String
  /// UNIX milliseconds: ours, and Redis' clock minus ours.
  let now: Int64
  let serverOffset: Int64

  /// Consumes the failures: after it the item has none.
  func write(_ open: OpenItem) -> [Leaving] {
    let failures = open.failures
    open.failures = []
    var leaves: [Leaving] = []
    var letters: [LetterKey: [OpenItem.Failure]] = [:]
    var retries: [RetryKey: [Int]] = [:]
    var parked: [Int: [Int]] = [:]
    for failure in failures {
      switch failure.decision {
      case .accepted: continue
      case .invalidToken(let token):
        let record = record(open, failure, token)
        leaves.append(token.isHeld ? .heldToken(record) : .invalidToken(record))
      case .again(let after, let spent, _):
        retries[RetryKey(after, spent), default: []].append(failure.target)
      case .parked:
        parked[open.event.targets[failure.target].credential, default: []].append(failure.target)
      case .dead(let reason):
        letters[LetterKey(reason, failure, open), default: []].append(failure)
      case .expired:
        if open.event.expiredRule == .letter {
          letters[LetterKey(.expired, failure, open), default: []].append(failure)
        }
      }
    }
    for (key, failures) in letters { leaves.append(letter(open, key, failures)) }
    for (key, targets) in retries { leaves.append(again(open, key, targets)) }
    for (credential, targets) in parked {
      leaves.append(.parked(codec.credentialList[credential], parkedHeader(open, targets)))
    }
    return leaves
  }

  // MARK: Retries

  /// Targets that wait for the same second share an item.
  private struct RetryKey: Hashable {
    let seconds: Int64
    let spent: Bool

    init(_ after: Duration, _ spent: Bool) {
      seconds = (after.milliseconds + 999) / 1_000
      self.spent = spent
    }
  }

  private func again(_ open: OpenItem, _ key: RetryKey, _ targets: [Int]) -> Leaving {
    var header = header(open, targets)
    if key.spent { header.attempt += 1 }
    return .again(at: now + serverOffset + key.seconds * 1_000, header)
  }

  private func parkedHeader(_ open: OpenItem, _ targets: [Int]) -> ItemHeader {
    var header = header(open, targets)
    header.parked -= now + serverOffset
    return header
  }

  /// The item with these targets alone.
  private func header(_ open: OpenItem, _ targets: [Int]) -> ItemHeader {
    var header = open.item.header
    header.crashes = 0
    header.parked = open.parked
    header.done = TargetSet(all: open.event.targets.count)
    for target in targets { header.done.remove(target) }
    return header
  }

  // MARK: Letters

  /// One letter for each reason, provider and provider's reason (EVENTS.md 2).
  private struct LetterKey: Hashable {
    let reason: DeadReason
    let provider: Provider?
    let status: Int?
    let providerReason: String

    init(_ reason: DeadReason, _ failure: OpenItem.Failure, _ open: OpenItem) {
      self.reason = reason
      provider = failure.answer == nil ? nil : open.event.targets[failure.target].provider
      status = failure.answer?.status
      providerReason = failure.answer?.reason ?? ""
    }
  }

  private func letter(
    _ open: OpenItem, _ key: LetterKey, _ failures: [OpenItem.Failure]
  ) -> Leaving {
    var facts = LetterFacts(
      reason: key.reason, detail: failures[0].detail, attempts: attempts(open, key),
      takenAt: open.takenAt, deadAt: now, worker: worker, replays: open.item.header.replays)
    facts.provider = key.provider
    facts.status = key.status
    facts.providerReason = key.providerReason.isEmpty ? nil : key.providerReason
    let letter = codec.deadLetter(
      bytes: open.item.bytes, event: open.event, targets: failures.map(\.target), facts: facts)
    return .deadLetter(key.reason, letter)
  }

  private func attempts(_ open: OpenItem, _ key: LetterKey) -> Int {
    open.item.header.attempt + (key.status == nil ? 0 : 1)
  }

  private func record(
    _ open: OpenItem, _ failure: OpenItem.Failure, _ token: Verdict.TokenVerdict
  ) -> [UInt8] {
    let facts = TokenFacts(
      reason: failure.answer?.reason ?? "", unregisteredAt: token.unregisteredAt,
      observedAt: now, isLiveActivity: token.isLiveActivity)
    return codec.invalidToken(open.event, target: failure.target, facts: facts)
  }
}
