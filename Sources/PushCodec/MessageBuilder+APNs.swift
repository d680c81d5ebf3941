import PushCrypto
import PushModel

// A request to APNs (protocol/apns.md 2, 3, 9).
extension MessageBuilder {
  mutating func buildAPNs(
    _ content: EventContent, _ target: PushTarget, _ request: PushRequest
  ) throws(EventFault) {
    let isPatched = content.facts.apnsPayload >= 0
    let limit = plan.pushType.maximumBodyBytes
    let recipient = content.recipients[Int(target.recipient)]
    try fit(content, limit: limit) { (builder, content) throws(EventFault) in
      builder.writer.byte(UInt8(ascii: "{"))
      try builder.payload(content, recipient)
      builder.writer.close()
      if isPatched { try builder.mergePayload(content, from: 0) }
      builder.notes.bytes = builder.writer.out.count
      return Excess(bytes: builder.notes.bytes - builder.plan.pushType.maximumBodyBytes)
    }
    notes.limit = plan.pushType.maximumBodyBytes
    try writeHeaders(content, target, request)
  }

  private mutating func writeHeaders(
    _ content: EventContent, _ target: PushTarget, _ request: PushRequest
  ) throws(EventFault) {
    content.bytes.withBytes(of: target.token) { request.deviceToken.replace(by: $0) }
    Self.lowercase(&request.deviceToken)
    setID(content, request)
    content.bytes.withBytes(of: target.topic) { request.topic.replace(by: $0) }
    request.pushType = plan.pushType
    request.priority = plan.priority
    request.expiration = expiration(content)
    appendCollapseID(content, to: &request.collapseID)
    if content.facts.apnsHeaders >= 0 { applyBlock(content, request) }
    request.priority = Self.allowed(request.priority, plan.pushType)
    if content.facts.apnsHeaders >= 0,
      let suffix = rules.apps[content.facts.app].suffix(of: request.topic, content),
      suffix != plan.pushType.topicSuffix
    {
      throw EventFault(
        .invalidEvent,
        "apns.headers.apns-topic: \(suffix) is not for push type \(plan.pushType.rawValue)")
    }
    Self.complete(&request.topic, plan.pushType)
  }

  /// The same event and token give the same id on every attempt (EVENTS.md, `id`).
  private mutating func setID(_ content: EventContent, _ request: PushRequest) {
    // Behind the body the writer lends its memory for the name.
    let start = writer.out.count
    content.bytes.append(content.facts.id, to: &writer.out)
    writer.out.append(0x0A)
    Self.append(lent: &request.deviceToken, to: &writer.out)
    writer.out.withSpan(from: start) {
      UUIDv5.set(&request.apnsID, namespace: UUIDv5.pushNamespace, name: copy $0)
    }
    writer.out.truncate(to: start)
  }

  /// Not changed: to read it where it is would count one more owner.
  private static func append(lent bytes: inout [UInt8], to out: inout ByteBuffer) {
    out.append(bytes.span)
  }

  private static func lowercase(_ bytes: inout [UInt8]) {
    unsafe bytes.withUnsafeMutableBufferPointer { bytes in
      // Without a branch in the loop the compiler takes many bytes at a time.
      for i in 0..<bytes.count {
        let byte = unsafe bytes[i]
        unsafe bytes[i] = byte | (byte &- UInt8(ascii: "A") < 26 ? 0x20 : 0)
      }
    }
  }

  /// The push type's suffix, once: a topic that has it keeps it.
  private static func complete(_ topic: inout [UInt8], _ type: PushType) {
    let suffix = type.topicSuffix
    if suffix.isEmpty || topic.suffix(suffix.utf8.count).elementsEqual(suffix.utf8) { return }
    topic.append(contentsOf: suffix.utf8)
  }

  /// Background is 5 whatever was asked; Live Activities and location know no 1.
  static func allowed(_ priority: UInt8, _ type: PushType) -> UInt8 {
    switch type {
    case .background: 5
    case .liveactivity, .location: priority == 10 ? 10 : 5
    default: priority
    }
  }

  func applyBlock(_ content: EventContent, _ request: PushRequest) {
    HeaderBlock.forEach(content) { name, value in
      guard let value else {
        if name == HeaderBlock.Known.collapseID.rawValue { request.collapseID = [] }
        return
      }
      switch HeaderBlock.Known(rawValue: name) {
      case .pushType: break
      case .priority: request.priority = value == [0x35] ? 5 : value == [0x31] ? 1 : 10
      case .expiration: request.expiration = Int64(String(decoding: value, as: UTF8.self)) ?? 0
      case .collapseID: request.collapseID = value
      case .topic: request.topic = value
      case .id: request.apnsID = value
      case nil: request.extraHeaders.append(([UInt8](name.utf8), value))
      }
    }
  }

  /// The collapse id as it may stand in a header: at most 64 bytes, no control character, no blank
  /// at either end, else the first 32 hex digits of its SHA-256.
  mutating func appendCollapseID(_ content: EventContent, to out: inout [UInt8]) {
    if content.facts.collapseKey.isEmpty { return }
    let start = out.count
    content.bytes.append(content.facts.collapseKey, to: &out)
    let isFit =
      out.count - start <= 64 && out[start] != 0x20 && out[out.count - 1] != 0x20
      && out[start...].allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    if isFit { return }
    notes.changes.insert(.collapseID)
    let hash = SHA256.hex([UInt8](out[start...]))
    out.removeSubrange(start...)
    out.append(contentsOf: hash[..<32])
  }
}
