package import LoopIO
internal import PushModel
package import PushWorker
package import SharedState

/// A shard's side of a breaker: counts its requests, reports what became of them, and wakes the
/// shard when a pause is over. Lives on its loop.
package final class BreakerGate {
  private let shared: SharedBreaker
  private let clock: any PushClock
  private var member = 0
  private var running = 0
  private var timer: LoopTimer?
  /// Called on the loop when `gate` may have changed.
  var onChange: (() -> Void)?
  /// The breaker has opened: nothing may wait for a connection any longer.
  var onShut: ((_ why: String) -> Void)?
  /// A request goes out to see whether the provider is there again.
  var onProbe: (() -> Void)?
  /// Such a request got no answer: its connection may be all that is wrong.
  var onSilence: (() -> Void)?
  /// In a slow start many may be silent at once.
  private var silences = ReplacementBrake(seconds: 5)

  package init(_ shared: SharedBreaker, on loop: Loop, clock: any PushClock) {
    self.shared = shared
    self.clock = clock
    let me = WeakGate(self)
    member = shared.join { loop.execute { me.value?.changed() } }
    timer = LoopTimer(on: loop) { [unowned self] in pauseEnded() }
  }

  package var gate: CredentialGate {
    switch shared.allowance(of: member) {
    case nil: .open
    case 0: .shut
    case .some(let most): .limited(most)
    }
  }

  /// A number for `ended`; nil when the request may not go.
  func begin() -> Int? {
    guard shared.isCalm else { return beginInTrouble() }
    running += 1
    return shared.epoch
  }

  private func beginInTrouble() -> Int? {
    let (goes, isProbe) = shared.begins(member, running: running)
    guard goes else { return nil }
    running += 1
    if isProbe { onProbe?() }
    return shared.epoch
  }

  /// What `send` answers when `begin` gave nothing.
  static let refusal = SendOutcome.neverSent(SendTrouble(.breaker, "the breaker is open"))

  func ended(_ epoch: Int, _ outcome: SendOutcome) {
    running -= 1
    switch Meaning(outcome) {
    case .works: shared.succeeded(epoch)
    case .fault(let fault, let cause, let wish):
      if fault == .silence, gate != .open, silences.admits(now: clock.monotonic()) {
        onSilence?()
      }
      shared.failed(fault, epoch, cause: cause, wish: wish)
    case .nothing(let cause):
      if !shared.isCalm { shared.probeWasVain(epoch, cause: cause) }
    case .stopped: shared.probeWasGivenUp(by: member)
    }
  }

  /// What `begin` admitted does not go after all.
  func gaveUp() {
    running -= 1
    if !shared.isCalm { shared.probeWasGivenUp(by: member) }
  }

  /// No connection could be made, though `waiting` requests wait for one.
  func connectFailed(_ fault: Breaker.Fault, waiting: Int, _ detail: String) {
    shared.failed(fault, shared.epoch, count: waiting, cause: "\(fault.rawValue): \(detail)")
  }

  func connectionLost(_ detail: String) {
    shared.failed(.lost, shared.epoch, cause: "connection lost: \(detail)")
  }

  private func changed() {
    if let end = shared.pauseEnd {
      onShut?("the breaker has opened")
      arm(end)
    }
    onChange?()
  }

  /// The timer may have been early.
  private func pauseEnded() {
    shared.tick()
    if let end = shared.pauseEnd { arm(end) }
  }

  private func arm(_ end: Int64) {
    timer?.arm(afterNanoseconds: max(1_000_000, end - clock.monotonic()))
  }

  /// What an outcome says about provider and credential.
  private enum Meaning {
    case works
    case fault(Breaker.Fault, cause: String, wish: Int64)
    case nothing(String)
    /// We ended it ourselves.
    case stopped

    init(_ outcome: SendOutcome) {
      switch outcome {
      case .answered(_, .accepted): self = .works
      case .answered(let answer, let verdict): self = Self.of(answer, verdict)
      case .unknown(let trouble) where trouble.kind == .timeout:
        self = .fault(.silence, cause: "no answer in time", wish: 0)
      case .neverSent(let trouble) where trouble.kind == .refused:
        self = .fault(.refusal, cause: trouble.detail, wish: 0)
      case .neverSent(let trouble) where trouble.kind == .auth:
        self = .fault(.token, cause: "no access token: \(trouble.detail)", wish: 0)
      // Failed connects and lost connections are counted as such, not once for each request.
      case .unknown(let trouble), .neverSent(let trouble):
        self = trouble.kind == .shutdown ? .stopped : .nothing(trouble.kind.rawValue)
      }
    }

    private static func of(_ answer: Answer, _ verdict: Verdict) -> Meaning {
      switch verdict {
      case .accepted, .invalidToken, .deadLetter, .retry(.throttled): .works
      // The others of the credential go on.
      case .pauseCredential(.topic), .pauseCredential(.appleAndWeb): .works
      case .pauseCredential(.credential): .fault(.auth, cause: cause(answer), wish: 0)
      case .retry(.server):
        .fault(
          .server, cause: cause(answer), wish: answer.retryAfter.map { $0.nanoseconds } ?? 0)
      case .retry(.newConnection), .retry(.tokenUpdates), .refreshAuth: .nothing(cause(answer))
      }
    }

    private static func cause(_ answer: Answer) -> String {
      "\(answer.status) \(answer.reason) \(answer.detail)".trimmed
    }
  }
}

/// Carries a gate that only the loop may touch through closures of other threads.
private final class WeakGate: @unchecked Sendable {
  weak var value: BreakerGate?
  init(_ value: BreakerGate) { self.value = value }
}

extension String {
  fileprivate var trimmed: String {
    split(separator: " ").joined(separator: " ")
  }
}
