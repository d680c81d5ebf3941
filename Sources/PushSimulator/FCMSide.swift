import HTTP2
import PushCodec

/// FCM and its token endpoint, as one connection meets them.
final class FCMSide: ProviderSide {
  let name = "fcm"
  private let hub: Hub
  /// The access token last found good on this connection, and when it ends.
  private var known: (token: [UInt8], end: Int64)?
  private var path: Range<Int>?

  private static let ownPath = Array(
    "/v1/projects/\(ServiceAccount.projectID)/messages:send".utf8)

  init(hub: Hub) { self.hub = hub }

  /// FCM allows 100 streams a connection (protocol/fcm.md 5).
  var connectionOptions: ServerConnection.Options {
    var options = ServerConnection.Options()
    options.maxConcurrentStreams = 100
    options.maximumBodyBytes = 256 * 1_024
    return options
  }

  func read(_ stream: ServerStream) -> ProviderName {
    path = stream.value(of: ":path")
    if let path, stream.textEquals(path, "/token") { return .oauth }
    return .fcm
  }

  /// Read only when a rule asks for it.
  func target(_ stream: ServerStream) -> ArraySlice<UInt8> {
    guard let text = JSONText(stream.body, scanner: &hub.scanner),
      let target = FCMMessageView(text)?.targets.first
    else { return [] }
    return target.value[...]
  }

  func judge(_ stream: ServerStream, inSecond: Int) -> Reply {
    if let path, stream.textEquals(path, "/token") { return giveToken(stream) }
    do {
      return try send(stream)
    } catch {
      return error.reply
    }
  }

  // MARK: Sending

  private func send(_ stream: ServerStream) throws(FCMRefusal) -> Reply {
    let project = try project(stream)
    try checkBearer(stream)
    if project != ServiceAccount.projectID {
      throw FCMRefusal(
        status: 403,
        message: "Permission 'cloudmessaging.messages.create' denied on resource"
          + " '//cloudresourcemanager.googleapis.com/projects/\(project.prefix(80))'"
          + " (or it may not exist).")
    }
    let message = try message(stream)
    try FCMMessageCheck(view: message).check()
    if let target = message.targets.first, target.kind == .token || target.kind == .fid,
      let fate = ReadyMadeTokens.fate(ofFCM: target.value)
    {
      throw .fate(fate)
    }
    return accepted(message, project: project)
  }

  /// `/v1/projects/{project}/messages:send` (protocol/fcm.md 1).
  private func project(_ stream: ServerStream) throws(FCMRefusal) -> String {
    let notFound = FCMRefusal(status: 404, message: "Requested entity was not found.")
    guard let method = stream.value(of: ":method"), stream.textEquals(method, "POST"), let path
    else { throw notFound }
    // Nearly all requests are for this project.
    if Bytes.areEqual(stream.text[path], Self.ownPath) { return ServiceAccount.projectID }
    let prefix = "/v1/projects/"
    let suffix = "/messages:send"
    // What follows a question mark chooses the form of the answer; only JSON exists here.
    let text = stream.string(path).split(separator: "?", maxSplits: 1).first ?? ""
    guard text.hasPrefix(prefix), text.hasSuffix(suffix),
      text.utf8.count > prefix.utf8.count + suffix.utf8.count
    else { throw notFound }
    let project = text.dropFirst(prefix.count).dropLast(suffix.count)
    if project.contains("/") { throw notFound }
    return String(project)
  }

  private func checkBearer(_ stream: ServerStream) throws(FCMRefusal) {
    guard let value = stream.value(of: "authorization"),
      let token = Bearer.token(stream.text[value])
    else { throw unauthenticated("CREDENTIALS_MISSING") }
    let now = hub.clock.seconds()
    if let known, now < known.end, token.elementsEqual(known.token) { return }
    let bytes = Array(token)
    switch hub.accessTokens.state(of: bytes, now: now) {
    case .valid: known = hub.accessTokens.end(of: bytes).map { (bytes, $0) }
    case .expired: throw unauthenticated("ACCESS_TOKEN_EXPIRED")
    case .unknown: throw unauthenticated(nil)
    }
  }

  /// The texts as captured in protocol/vectors.json.
  private func unauthenticated(_ reason: String?) -> FCMRefusal {
    let isMissing = reason == "CREDENTIALS_MISSING"
    let start =
      isMissing
      ? "Request is missing required authentication credential."
      : "Request had invalid authentication credentials."
    return FCMRefusal(
      status: 401,
      message: start
        + " Expected OAuth 2 access token, login cookie or other valid authentication credential."
        + " See https://developers.google.com/identity/sign-in/web/devconsole-project.",
      info: reason)
  }

  private func message(_ stream: ServerStream) throws(FCMRefusal) -> FCMMessageView {
    guard stream.bodyBytes == stream.body.count,
      let text = JSONText(stream.body, scanner: &hub.scanner), text.kind(0) == .object
    else {
      throw .malformed([
        FieldViolation(field: "", description: "Invalid JSON payload received. Parse error.")
      ])
    }
    let violations = FCMShapeCheck(text).violations
    if !violations.isEmpty { throw .malformed(violations) }
    guard let message = FCMMessageView(text) else {
      throw .invalid("Request contains an invalid argument.")
    }
    return message
  }

  private func accepted(_ message: FCMMessageView, project: String) -> Reply {
    let id: String
    if message.isValidateOnly {
      id = "fake_message_id"
    } else {
      hub.random.make()
      let digits = String(decoding: hub.random.text.prefix(8), as: UTF8.self)
      id = "0:\(hub.clock.seconds())%\(digits)\(digits)"
    }
    return Reply(status: 200, body: Array("{\"name\":\"projects/\(project)/messages/\(id)\"}".utf8))
  }

  // MARK: Tokens

  private func giveToken(_ stream: ServerStream) -> Reply {
    guard let account = hub.serviceAccount, let method = stream.value(of: ":method"),
      stream.textEquals(method, "POST")
    else { return Reply(status: 405, reason: "method_not_allowed") }
    let now = hub.clock.seconds()
    do {
      try TokenEndpoint(account: account, now: now).check(form: stream.body)
    } catch {
      return error.reply
    }
    let token = hub.accessTokens.issue(now: now)
    return TokenEndpoint.reply(token: token, life: hub.accessTokens.life)
  }

  // MARK: Answers

  func reply(to respond: Rule.Respond, status: Int) -> Reply {
    var reply = Reply(status: status, reason: respond.reason ?? "")
    if status >= 400 { reply = refusal(respond.reason, status).reply }
    if let body = respond.body { reply.body = body }
    reply.retryAfter = respond.retryAfter
    return reply
  }

  /// A known error code comes as FcmError; any other text is ErrorInfo's reason.
  private func refusal(_ reason: String?, _ status: Int) -> FCMRefusal {
    let error = reason.flatMap { FCMError(rawValue: $0) }
    var refusal = FCMRefusal(
      status: status, message: error?.message ?? "Answered by a rule.", error: error)
    if error == nil { refusal.info = reason }
    return refusal
  }

  func writeHead(of reply: Reply, for stream: ServerStream) {
    hub.head.removeAll()
    hub.head.append(":status", decimal: Int64(reply.status))
    hub.head.append("content-type", "application/json; charset=UTF-8")
    if let seconds = reply.retryAfter { hub.head.append("retry-after", decimal: Int64(seconds)) }
  }

  func allowance(after status: Int) -> UInt32? { nil }
}
