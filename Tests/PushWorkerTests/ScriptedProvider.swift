import LoopIO
import PushModel
import PushWorker
import SharedState

/// A provider that says what the test wants and remembers what it was sent.
final class ScriptedProvider: PushProvider {
  let key: CredentialKey
  var gate = CredentialGate.open { didSet { onGateChange?() } }
  var onGateChange: (() -> Void)?
  private let loop: Loop
  private let sent: Sent
  private let answer: @Sendable (PushRequest, Int) async -> SendOutcome

  /// What all providers of a test were sent, by device token (APNs) or body (FCM).
  final class Sent: Sendable {
    private let counts = Guarded<[String: Int]>([:])

    func note(_ token: String) -> Int {
      counts.withLock {
        $0[token, default: 0] += 1
        return $0[token, default: 0]
      }
    }

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

  func send(_ request: PushRequest) async -> SendOutcome {
    let name = request.deviceToken.isEmpty ? request.body : request.deviceToken
    let times = sent.note(String(decoding: name, as: UTF8.self))
    return await answer(request, times)
  }

  func shutDown() async {}

  func cutOff() {}
}
