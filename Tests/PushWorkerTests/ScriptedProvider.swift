import LoopIO
import PushModel
import PushWorker
import SharedState

/// A provider that says what the test wants and remembers what it was sent.
final class ScriptedProvider: PushProvider {
  let key: CredentialKey
  var gate = CredentialGate.open { didSet { onGateChange?() } }
  var onGateChange: (() -> Void)?
  var room: Int { depth == .max ? .max : max(0, depth - waiting.count) }
  var depth = Int.max { didSet { onRoom?() } }
  var onRoom: (() -> Void)?
  private let loop: Loop
  private let sent: Sent
  private let answer: @Sendable (PushRequest, Int) async -> SendOutcome

  /// What all providers of a test were sent, by device token (APNs) or body (FCM).
  final class Sent: Sendable {
    private let counts = Guarded<[String: Int]>([:])
    private let order = Guarded<[UInt8]>([])

    func note(_ token: String, _ precedence: UInt8) -> Int {
      order.withLock { $0.append(precedence) }
      return counts.withLock {
        $0[token, default: 0] += 1
        return $0[token, default: 0]
      }
    }

    /// The precedence of each push, in the order they were sent.
    var precedences: [UInt8] { order.withLock { $0 } }

    var all: [String: Int] { counts.withLock { $0 } }
  }

  /// `answer` gets the request and how often this token has been sent, this time included.
  init(
    _ key: CredentialKey, on loop: Loop, _ sent: Sent,
    _ answer: @escaping @Sendable (PushRequest, Int) async -> SendOutcome
  ) {
    self.key = key
    self.loop = loop
    self.sent = sent
    self.answer = answer
  }

  /// Like a pool without a free place: what is sent waits unbuilt.
  var isFull = false {
    didSet {
      let waiting = waiting
      self.waiting = []
      for push in waiting { send(push) }
      onRoom?()
    }
  }
  private(set) var waiting: [any OutgoingPush] = []
  private var underWay = 0
  private(set) var mostUnderWay = 0

  func send(_ push: consuming any OutgoingPush) {
    if isFull { return waiting.append(push) }
    guard push.build(at: SystemClock().monotonic()) else { return }
    let request = push.request
    let name = request.deviceToken.isEmpty ? request.body : request.deviceToken
    let times = sent.note(String(decoding: name, as: UTF8.self), push.precedence)
    underWay += 1
    mostUnderWay = max(mostUnderWay, underWay)
    let (me, push) = (LoopBound(self), LoopBound(push))
    Task(executorPreference: loop) {
      let outcome = await me.value.answer(push.value.request, times)
      me.value.underWay -= 1
      push.value.ended(outcome)
    }
  }

  func shutDown() async {}

  func cutOff() {}
}
