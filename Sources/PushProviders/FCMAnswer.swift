internal import PushCodec
package import PushModel
internal import PushTelemetry

/// Reads what FCM answered (fcm.md 6).
package enum FCMAnswer {
  /// - Parameters:
  ///   - body: may be missing, HTML or nonsense; the status decides then.
  ///   - isLiveActivity: the request carried `apns.live_activity_token`.
  ///   - wall: UNIX milliseconds.
  package static func read(
    status: Int, body: [UInt8], retryAfter: [UInt8]? = nil, isLiveActivity: Bool = false,
    wall: Int64
  ) -> (Answer, Verdict) {
    if status == 200 {
      return (Answer(status: 200, messageName: messageName(body)), .accepted)
    }
    let fault = FCMFault(body: body)
    var answer = Answer(
      status: status, reason: fault.code.isEmpty ? fault.rpcStatus : fault.code,
      detail: detail(fault),
      retryAfter: retryAfter.flatMap { RetryAfter.read($0, now: wall) } ?? fault.retryDelay)
    answer.isKnownReason = KnownReasons.fcm.contains(answer.reason)
    return (answer, FCMVerdicts.judge(status: status, fault: fault, isLiveActivity: isLiveActivity))
  }

  private static func messageName(_ body: [UInt8]) -> String {
    guard let text = try? JSONText(body) else { return "" }
    return String((text.string("name", of: text.root) ?? "").prefix(256))
  }

  /// The text with its violated fields, APNs' word in it, and nothing that could be a token.
  private static func detail(_ fault: FCMFault) -> String {
    var parts = [fault.message]
    if let apns = fault.apns { parts.append("APNs: \(apns.status) \(apns.reason)") }
    for violation in fault.violations where violation.description != fault.message {
      parts.append("\(violation.field): \(violation.description)")
    }
    let whole = parts.filter { !$0.isEmpty }.joined(separator: "; ")
    return withoutTokens(String(whole.prefix(500)))
  }

  /// Long words of the characters that tokens are made of are shortened like tokens.
  static func withoutTokens(_ text: String) -> String {
    var out = ""
    var word = ""
    func finishWord() {
      out += word.utf8.count >= 32 ? redact(token: word) : word
      word = ""
    }
    for character in text {
      if character.isASCII, character.isLetter || character.isNumber || "_-:%".contains(character) {
        word.append(character)
      } else {
        finishWord()
        out.append(character)
      }
    }
    finishWord()
    return out
  }
}

extension FCMFault {
  /// What cannot be read stays empty.
  package init(body: [UInt8]) {
    self.init()
    guard let text = try? JSONText(body), text.isObject else { return }
    isJSON = true
    let error = text.member("error", of: text.root)
    message = text.string("message", of: error) ?? ""
    rpcStatus = text.string("status", of: error) ?? ""
    for detail in text.elements(of: text.member("details", of: error)) { read(detail, in: text) }
  }

  private mutating func read(_ detail: JSONText.Value, in text: JSONText) {
    switch text.string("@type", of: detail)?.split(separator: "/").last {
    case "google.firebase.fcm.v1.FcmError":
      code = text.string("errorCode", of: detail) ?? ""
    case "google.firebase.fcm.v1.ApnsError":
      var fault = APNsFault()
      fault.status = text.integer("statusCode", of: detail) ?? 0
      fault.reason = text.string("reason", of: detail) ?? ""
      apns = fault
    case "google.rpc.BadRequest":
      for violation in text.elements(of: text.member("fieldViolations", of: detail)).prefix(20) {
        var found = Violation()
        found.field = text.string("field", of: violation) ?? ""
        found.description = text.string("description", of: violation) ?? ""
        violations.append(found)
      }
    case "google.rpc.RetryInfo":
      retryDelay = text.string("retryDelay", of: detail).flatMap { RetryAfter.read(protobuf: $0) }
    default: break
    }
  }
}
