import PushModel

/// Builds one message for one target. Made anew for each, around buffers that are kept.
struct MessageBuilder: ~Copyable {
  let rules: CompiledRules
  /// UNIX milliseconds: what is left of a life is reckoned at every attempt.
  let now: Int64
  var writer = JSONWriter()
  var plan: DeliveryPlan
  var texts: Texts
  var notes = BuildNotes()

  static func build(
    _ content: EventContent, _ index: Int, _ rules: CompiledRules, now: Int64,
    into request: PushRequest, by writer: inout JSONWriter
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
    var builder = MessageBuilder(content, target, rules, now)
    swap(&builder.writer, &writer)
    defer {
      swap(&builder.writer, &writer)
      content.bytes.arena.truncate(to: arena)
    }
    do throws(EventFault) {
      switch target.provider {
      case .apns: try builder.buildAPNs(content, target, request)
      case .fcm:
        request.clearAPNs()
        try builder.buildFCM(content, target)
      }
    } catch {
      return .failed(error.reason, detail: error.detail)
    }
    builder.writer.out.withSpan(from: 0) { request.body.replace(by: $0) }
    if content.facts.repairs > 0 { builder.notes.changes.insert(.unicode) }
    return .built(builder.notes)
  }

  private init(
    _ content: EventContent, _ target: PushTarget, _ rules: CompiledRules, _ now: Int64
  ) {
    self.rules = rules
    self.now = now
    plan = DeliveryPlan(content, target, rules)
    texts = Texts(content.facts)
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
