import PushCrypto
package import PushModel

/// What a dead letter says beside the event.
package struct LetterFacts: Sendable {
  package var reason: DeadReason
  package var detail: String
  package var provider: Provider?
  package var status: Int?
  package var providerReason: String?
  package var attempts: Int
  /// UNIX milliseconds.
  package var takenAt: Int64
  package var deadAt: Int64
  package var worker: String
  package var replays: Int
  /// Names of an item that could not be decoded; a decoded event names itself.
  package var id = ""
  package var app: String?
  package var type: String?

  package init(
    reason: DeadReason, detail: String, provider: Provider? = nil, status: Int? = nil,
    providerReason: String? = nil, attempts: Int = 0, takenAt: Int64, deadAt: Int64,
    worker: String, replays: Int = 0
  ) {
    self.reason = reason
    self.detail = detail
    self.provider = provider
    self.status = status
    self.providerReason = providerReason
    self.attempts = attempts
    self.takenAt = takenAt
    self.deadAt = deadAt
    self.worker = worker
    self.replays = replays
  }

  /// Of an item that is no event.
  package init(
    _ fault: ItemFault, attempts: Int = 0, takenAt: Int64, deadAt: Int64, worker: String,
    replays: Int = 0
  ) {
    self.init(
      reason: fault.reason, detail: fault.detail, attempts: attempts, takenAt: takenAt,
      deadAt: deadAt, worker: worker, replays: replays)
    id = fault.id
    app = fault.app
    type = fault.type
  }
}

extension MessageCodec {
  /// A dead letter as JSON (EVENTS.md 2).
  /// - Parameters:
  ///   - event: nil for an item that could not be decoded.
  ///   - targets: which the letter is about; nil = all.
  package func deadLetter(
    bytes: [UInt8], event: DecodedEvent?, targets: [Int]?, facts: LetterFacts
  ) -> [UInt8] {
    var writer = JSONWriter()
    writer.raw("{\"v\":1")
    writer.key("id")
    writer.text(event?.id ?? facts.id)
    writer.field("reason", text: facts.reason.rawValue)
    writer.field("detail", text: facts.detail)
    if let provider = facts.provider { writer.field("provider", text: provider.rawValue) }
    if let status = facts.status { writer.field("status", integer: Int64(status)) }
    if let reason = facts.providerReason { writer.field("providerReason", text: reason) }
    if let app = event?.appName ?? facts.app { writer.field("app", text: app) }
    if let type = event?.typeName ?? facts.type { writer.field("type", text: type) }
    writer.field("attempts", integer: Int64(facts.attempts))
    writer.field("takenAt", integer: facts.takenAt)
    writer.field("deadAt", integer: facts.deadAt)
    writer.field("worker", text: facts.worker)
    writer.field("replays", integer: Int64(facts.replays))
    body(bytes, event, targets, facts.reason, &writer)
    writer.close()
    return writer.out.array()
  }

  private func body(
    _ bytes: [UInt8], _ event: DecodedEvent?, _ targets: [Int]?, _ reason: DeadReason,
    _ writer: inout JSONWriter
  ) {
    if let event, !event.content.hasInvalidUTF8 {
      writer.key("event")
      writer.out.append(Splicer.splice(event.content, targets))
    } else if reason == .itemTooLarge {
      writer.field("length", integer: Int64(bytes.count))
      writer.key("raw")
      base64([UInt8](bytes.prefix(4_096)), &writer)
    } else if let object = wholeObject(bytes) {
      writer.key("event")
      writer.out.append([UInt8](bytes[object]))
    } else {
      writer.key("raw")
      base64(bytes, &writer)
    }
  }

  private func base64(_ bytes: [UInt8], _ writer: inout JSONWriter) {
    writer.byte(UInt8(ascii: "\""))
    writer.out.append(Base64.encode(bytes))
    writer.byte(UInt8(ascii: "\""))
  }

  /// Where the one JSON object of an item stands, if it is that and UTF-8.
  private func wholeObject(_ bytes: [UInt8]) -> Range<Int>? {
    var scanner = JSONScanner(maximumDepth: 10_000, maximumDigits: Int.max)
    do throws(JSONFault) { try scanner.scan(bytes.span) } catch { return nil }
    guard let root = scanner.tokens.first, root.kind == .object, !scanner.hasInvalidUTF8 else {
      return nil
    }
    return root.range
  }

  /// Bytes that each part of an event repeats when its targets are divided.
  package func sharedBytes(_ event: DecodedEvent) -> Int { Splicer.sharedBytes(event.content) }

  /// The producer's event with only these targets, all else byte for byte.
  package func splice(_ event: DecodedEvent, targets: [Int]) -> [UInt8] {
    Splicer.splice(event.content, targets)
  }
}

extension JSONWriter {
  mutating func field(_ name: StaticString, text: String) {
    key(name)
    self.text(text)
  }
}
