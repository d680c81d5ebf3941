package import PushModel

/// Bytes of events in, requests to APNs and FCM out. One per thread; owns reused buffers.
package final class MessageCodec {
  private let rules: CompiledRules
  private let reader: EventReader
  private var scanner: JSONScanner
  private var pool: [DecodedEvent] = []
  private var builder: MessageBuilder
  /// More events than this are not kept for reuse.
  private static let poolSize = 256

  /// - Parameter credentials: which app, provider and environment can send.
  package init(rules: MessageRules, credentials: Set<CredentialKey>) {
    self.rules = CompiledRules(rules, credentials: credentials)
    reader = EventReader(rules: self.rules)
    builder = MessageBuilder(rules: self.rules)
    scanner = JSONScanner(
      maximumDepth: rules.limits.depth, maximumDigits: rules.limits.numberDigits)
  }

  /// What `PushTarget.credential` counts in.
  package var credentialList: [CredentialKey] { rules.credentials }

  /// Decodes one item.
  /// - Parameters:
  ///   - queueID: names the event when it has no id of its own.
  ///   - firstTaken: UNIX milliseconds; stands for `sentAt` when that is absent.
  ///   - now: UNIX milliseconds.
  package func decode(
    _ bytes: [UInt8], queueID: QueueID, firstTaken: Int64, now: Int64
  ) -> DecodedItem {
    let event = pool.popLast() ?? DecodedEvent(rules)
    do throws(EventFault) {
      try read(bytes, queueID, firstTaken, now, event.content)
      return .event(event)
    } catch {
      let fault = describe(error, event.content, queueID)
      recycle(event)
      return .malformed(fault)
    }
  }

  /// Takes an event back for reuse; nobody may touch it afterwards.
  package func recycle(_ event: consuming DecodedEvent) {
    event.reset()
    if pool.count < Self.poolSize { pool.append(event) }
  }

  /// Builds one target's message into `request`, whose buffers are reused.
  /// - Parameter now: UNIX milliseconds; ttl and expiration are reckoned from it.
  package func build(
    _ event: DecodedEvent, target: Int, now: Int64, into request: PushRequest
  ) -> BuildResult {
    builder.build(event.content, target, now: now, into: request)
  }

  private func read(
    _ bytes: [UInt8], _ queueID: QueueID, _ firstTaken: Int64, _ now: Int64,
    _ content: EventContent
  ) throws(EventFault) {
    content.bytes.take(bytes)
    guard bytes.count <= rules.limits.itemBytes else {
      throw EventFault(
        .itemTooLarge, "\(bytes.count) bytes, allowed are \(rules.limits.itemBytes)")
    }
    try scan(bytes, content)
    try content.bytes.reading { () throws(EventFault) in
      try reader.read(content, queueID, firstTaken: firstTaken, now: now)
    }
  }

  private func scan(_ bytes: [UInt8], _ content: EventContent) throws(EventFault) {
    do throws(JSONFault) {
      try scanner.scan(bytes.span, exchanging: &content.tokens)
      content.brokenStrings = scanner.brokenStrings
      content.hasInvalidUTF8 = scanner.hasInvalidUTF8
    } catch {
      switch error {
      case .malformed: throw EventFault(.invalidJSON, error.detail)
      case .tooDeep, .numberTooLong: throw EventFault(.itemTooLarge, error.detail)
      }
    }
  }

  /// Whatever names the event, as far as it can be read.
  private func describe(
    _ fault: EventFault, _ content: EventContent, _ queueID: QueueID
  ) -> ItemFault {
    func name(_ key: String) -> String? {
      guard content.tokens.first?.kind == .object, let token = content.member(key, of: 0),
        content.tokens[token].kind == .string, content.tokens[token].count <= 1_024
      else { return nil }
      return String(decoding: HeaderBlock.value(token, content), as: UTF8.self)
    }
    let id = name("id") ?? ""
    return ItemFault(
      reason: fault.reason, detail: fault.detail, id: id.isEmpty ? queueID.text : id,
      app: name("app"), type: name("type"))
  }
}
