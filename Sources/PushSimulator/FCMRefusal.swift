/// A refusal as google.rpc.Status (protocol/fcm.md 6).
struct FCMRefusal: Error {
  var status: Int
  var message: String
  var error: FCMError?
  var violations: [FieldViolation] = []
  /// google.rpc.ErrorInfo's reason, for a fault of the access token.
  var info: String?
  /// google.rpc.QuotaFailure's subject.
  var quotaSubject: String?
  /// Seconds.
  var retryAfter: Int?

  /// A message that FCM will not take (protocol/fcm.md 7: INVALID_ARGUMENT).
  static func invalid(_ message: String) -> FCMRefusal {
    FCMRefusal(status: 400, message: message, error: .invalidArgument)
  }

  /// A request of the wrong shape: BadRequest without an FcmError.
  static func malformed(_ violations: [FieldViolation]) -> FCMRefusal {
    FCMRefusal(
      status: 400, message: violations.map(\.description).joined(separator: "\n"),
      violations: violations)
  }

  /// The fate of a target, with what real answers carry beside it.
  static func fate(_ error: FCMError) -> FCMRefusal {
    var refusal = FCMRefusal(status: error.status, message: error.message, error: error)
    switch error {
    case .quotaExceeded: refusal.quotaSubject = "project:\(ServiceAccount.projectID)"
    case .unavailable: refusal.retryAfter = 2
    default: break
    }
    return refusal
  }

  var reply: Reply {
    Reply(
      status: status, reason: error?.rawValue ?? RPCStatus.name(of: status), body: body,
      retryAfter: retryAfter)
  }

  private var body: [UInt8] {
    var out = JSONLine()
    out.open()
    out.open("error")
    out.add("code", status)
    out.add("message", message)
    out.add("status", RPCStatus.name(of: status))
    addDetails(to: &out)
    out.close()
    out.close()
    return out.bytes
  }

  private func addDetails(to out: inout JSONLine) {
    if violations.isEmpty && error == nil && info == nil { return }
    out.open("details", array: true)
    if !violations.isEmpty { addViolations(to: &out) }
    if let error {
      out.open()
      out.add("@type", "type.googleapis.com/google.firebase.fcm.v1.FcmError")
      out.add("errorCode", error.rawValue)
      out.close()
    }
    if let quotaSubject { addQuota(quotaSubject, to: &out) }
    if let info { addInfo(info, to: &out) }
    out.close(array: true)
  }

  private func addViolations(to out: inout JSONLine) {
    out.open()
    out.add("@type", "type.googleapis.com/google.rpc.BadRequest")
    out.open("fieldViolations", array: true)
    for violation in violations {
      out.open()
      out.add("field", violation.field)
      out.add("description", violation.description)
      out.close()
    }
    out.close(array: true)
    out.close()
  }

  private func addQuota(_ subject: String, to out: inout JSONLine) {
    out.open()
    out.add("@type", "type.googleapis.com/google.rpc.QuotaFailure")
    out.open("violations", array: true)
    out.open()
    out.add("subject", subject)
    out.add("description", message)
    out.close()
    out.close(array: true)
    out.close()
  }

  private func addInfo(_ reason: String, to out: inout JSONLine) {
    out.open()
    out.add("@type", "type.googleapis.com/google.rpc.ErrorInfo")
    out.add("reason", reason)
    out.add("domain", "googleapis.com")
    out.open("metadata")
    out.add("method", "google.firebase.fcm.v1.FcmService.SendMessage")
    out.add("service", "fcm.googleapis.com")
    out.close()
    out.close()
  }
}
