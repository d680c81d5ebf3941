internal import PushCodec
internal import PushModel
internal import PushSettings

/// Decodes and builds as a worker does, and keeps what it did.
struct Explainer {
  private let codec: MessageCodec
  private let settings: Settings
  /// UNIX milliseconds.
  private let now: Int64

  init(_ settings: Settings, now: Int64) {
    self.settings = settings.withProjectIDs
    self.now = now
    codec = MessageCodec(
      rules: settings.messageRules(), credentials: Set(settings.credentials.map(\.key)))
  }

  func explain(_ item: [UInt8]) -> EventExplanation {
    switch codec.decode(item, queueID: "new-id", firstTaken: now, now: now) {
    case .malformed(let fault): return EventExplanation(fault)
    case .event(let event):
      defer { codec.recycle(event) }
      return EventExplanation(event, (0..<event.targetCount).map { target(event, $0) })
    }
  }

  private func target(_ event: DecodedEvent, _ index: Int) -> TargetExplanation {
    // What is scheduled is built when its time has come.
    let moment = max(now, event.notBefore * 1_000)
    let request = PushRequest()
    var explanation = TargetExplanation(event, index)
    switch codec.build(event, target: index, now: moment, into: request) {
    case .built(let notes):
      let key = codec.credentialList[event.credential(of: index) ?? 0]
      explanation.fate = .request(RequestListing(request, notes, for: key, settings))
    case .failed(let reason, let detail): explanation.fate = .dead(reason, detail)
    case .expired: explanation.fate = .expired(event.expiredRule)
    }
    return explanation
  }
}
