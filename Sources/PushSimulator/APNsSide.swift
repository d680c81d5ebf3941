import HTTP2
import PushModel

/// The APNs host of one environment, as one connection meets it.
final class APNsSide: ProviderSide {
  let name: String
  private let environment: APNsEnvironment
  private let hub: Hub
  private let topics: APNsTopicCheck
  private let hasCertificate: Bool
  private var tokens = ProviderTokenMemory()
  private var streams: StreamAllowance
  private var fields: APNsFields

  /// `certificateTopic` is the subject's UID of the client certificate, when there is one.
  init(_ environment: APNsEnvironment, certificateTopic: String?, hub: Hub) {
    self.environment = environment
    self.hub = hub
    name = environment.rawValue
    hasCertificate = certificateTopic != nil
    topics = APNsTopicCheck(
      right: certificateTopic.map { .certificate(bundleID: Array($0.utf8)) }
        ?? .key(bundleIDs: hub.bundleIDs))
    // Only a token connection begins with one stream (protocol/apns.md 12).
    streams = StreamAllowance(
      full: hub.options.maxStreams, isStrict: hub.options.strictStreams && !hasCertificate)
    fields = APNsFields()
  }

  var connectionOptions: ServerConnection.Options {
    var options = ServerConnection.Options()
    options.maxConcurrentStreams = streams.announced
    // The largest body that is not too large anyway has 5,120 bytes.
    options.maximumBodyBytes = 8 * 1_024
    return options
  }

  func read(_ stream: ServerStream) -> ProviderName {
    fields = APNsFields(stream)
    return .apns
  }

  func target(_ stream: ServerStream) -> ArraySlice<UInt8> {
    guard let token = try? APNsHeaderCheck.deviceToken(fields, in: stream) else { return [] }
    return stream.text[token]
  }

  func judge(_ stream: ServerStream, inSecond: Int) -> Reply {
    do {
      try check(stream, inSecond: inSecond)
      return .accepted
    } catch {
      var reply = Reply(
        apns: error.reason.rawValue, status: error.reason.status, timestamp: error.timestamp)
      reply.retryAfter = error.retryAfter
      return reply
    }
  }

  private func check(_ stream: ServerStream, inSecond: Int) throws(APNsRefusal) {
    let token = try APNsHeaderCheck.deviceToken(fields, in: stream)
    try checkProvider(stream)
    try APNsHeaderCheck.check(fields, in: stream)
    let pushType = try pushType(stream)
    try topics.check(fields, in: stream, pushType: pushType)
    try APNsPayloadCheck.checkSize(stream.bodyBytes, pushType: pushType)
    try APNsPayloadCheck.check(
      JSONText(stream.body, scanner: &hub.scanner), pushType: pushType)
    guard APNsHeaderCheck.isDeviceToken(stream.text[token]) else {
      throw APNsRefusal(.badDeviceToken)
    }
    if hub.options.enforceRate, inSecond > 100 { throw APNsRefusal(.tooManyRequests) }
    try checkFate(stream.text[token])
  }

  /// protocol/apns.md 5 and 6: with a client certificate the header is ignored.
  private func checkProvider(_ stream: ServerStream) throws(APNsRefusal) {
    if hasCertificate { return }
    guard let authorization = fields.authorization,
      let token = Bearer.token(stream.text[authorization])
    else { throw APNsRefusal(.missingProviderToken) }
    let reason = tokens.judge(token, now: hub.clock.seconds(), key: hub.identity.providerKey)
    if let reason { throw APNsRefusal(reason) }
  }

  /// Absent is allowed outside watchOS (protocol/apns.md 3).
  private func pushType(_ stream: ServerStream) throws(APNsRefusal) -> PushType? {
    guard let value = fields.pushType else { return nil }
    guard let type = PushTypeReader.read(value, in: stream) else {
      throw APNsRefusal(.invalidPushType)
    }
    return type
  }

  private func checkFate(_ token: ArraySlice<UInt8>) throws(APNsRefusal) {
    guard let reason = hub.readyMade.fate(ofAPNs: token) else { return }
    switch reason {
    case .unregistered: throw APNsRefusal(reason, timestamp: hub.clock.seconds() * 1_000)
    case .tooManyRequests: throw APNsRefusal(reason, retryAfter: 2)
    default: throw APNsRefusal(reason)
    }
  }

  func reply(to respond: Rule.Respond, status: Int) -> Reply {
    var reply = Reply(status: status, reason: respond.reason ?? "")
    if let reason = respond.reason {
      reply = Reply(apns: reason, status: status, timestamp: respond.timestamp)
    }
    if let body = respond.body { reply.body = body }
    reply.retryAfter = respond.retryAfter
    return reply
  }

  /// protocol/apns.md 7: `apns-id` echoed or made; `apns-unique-id` in the sandbox.
  func writeHead(of reply: Reply, for stream: ServerStream) {
    hub.head.removeAll()
    if reply.status == 200 {
      hub.head.append(":status", "200")
    } else {
      hub.head.append(":status", decimal: Int64(reply.status))
    }
    if let id = stream.value(of: "apns-id") {
      let text = stream.text
      hub.head.append("apns-id", text.span.extracting(id))
    } else {
      hub.random.make()
      hub.head.append("apns-id", hub.random.text)
    }
    if environment == .sandbox {
      hub.random.make()
      hub.head.append("apns-unique-id", hub.random.text)
    }
    if !reply.body.isEmpty { hub.head.append("content-type", "application/json") }
    if let seconds = reply.retryAfter { hub.head.append("retry-after", decimal: Int64(seconds)) }
  }

  func allowance(after status: Int) -> UInt32? { streams.answered(status: status) }
}

/// The scheme of an `authorization` header; its name is not case-sensitive (RFC 9110 11.1).
enum Bearer {
  static func token(_ value: ArraySlice<UInt8>) -> ArraySlice<UInt8>? {
    let scheme = "bearer ".utf8
    guard value.count > scheme.count,
      zip(value, scheme).allSatisfy({ $0 == $1 || $0 | 0x20 == $1 })
    else { return nil }
    return value.dropFirst(scheme.count)
  }
}
