import PushModel

/// Builds messages, one for one target at a time. A codec keeps one: made anew for each message it
/// would count an owner of the rules.
struct MessageBuilder: ~Copyable {
  let rules: CompiledRules
  /// UNIX milliseconds: what is left of a life is reckoned at every attempt.
  private(set) var now: Int64 = 0
  var writer = JSONWriter()
  var plan = DeliveryPlan()
  var texts = Texts()
  var notes = BuildNotes()

  init(rules: CompiledRules) { self.rules = rules }

  mutating func build(
    _ content: EventContent, _ index: Int, now: Int64, into request: PushRequest
  ) -> BuildResult {
    let target = content.targets[index]
    if target.fault >= 0 {
      let fault = content.faults[Int(target.fault)]
      return .failed(fault.reason, detail: fault.detail)
    }
    if now >= content.facts.time.expiresAt * 1_000 { return .expired }
    request.reset(provider: target.provider)
    request.platform = target.platform
    request.isFIDByShape = target.isFIDByShape
    let arena = content.bytes.arena.count
    defer { content.bytes.arena.truncate(to: arena) }
    do throws(EventFault) {
      try content.bytes.reading { () throws(EventFault) in
        begin(content, target, now)
        switch target.provider {
        case .apns: try buildAPNs(content, target, request)
        case .fcm:
          request.clearAPNs()
          try buildFCM(content, target)
        }
      }
    } catch {
      return .failed(error.reason, detail: error.detail)
    }
    writer.out.withSpan(from: 0) { request.body.replace(by: $0) }
    if content.facts.repairs > 0 { notes.changes.insert(.unicode) }
    return .built(notes)
  }

  private mutating func begin(
    _ content: EventContent, _ target: PushTarget, _ now: Int64
  ) {
    self.now = now
    writer.out.truncate(to: 0)
    plan = DeliveryPlan(content, target, rules)
    texts = Texts(content)
    notes = BuildNotes()
    // What Apple's rules changed concerns Apple's devices alone.
    switch target.provider {
    case .fcm where target.platform?.isApple == false: break
    case .fcm, .apns: notes.changes = plan.notes
    }
  }

  /// Writes, measures, and shortens texts until the message fits.
  mutating func fit(
    _ content: EventContent, limit: Int,
    _ write: (inout MessageBuilder, EventContent) throws(EventFault) -> Excess
  ) throws(EventFault) {
    texts.clamp(to: limit, content.bytes, &notes.changes)
    while true {
      writer.out.truncate(to: 0)
      let excess = try write(&self, content)
      if excess.bytes <= 0 { return }
      if !texts.shorten(by: excess, content.bytes, &notes.changes) {
        throw EventFault(
          .payloadTooLarge,
          "\(limit + excess.bytes) bytes without text to shorten, allowed are \(limit)")
      }
    }
  }

  /// Seconds of life left, at least 0.
  func secondsLeft(_ content: EventContent) -> Int64 {
    if content.facts.time.isOneShot { return 0 }
    return max(0, content.facts.time.expiresAt - now / 1_000)
  }

  func expiration(_ content: EventContent) -> Int64 {
    content.facts.time.isOneShot ? 0 : content.facts.time.expiresAt
  }
}
