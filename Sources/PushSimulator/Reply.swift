/// One answer as it will go out.
struct Reply {
  var status: Int
  /// APNs' reason, FCM's error code or OAuth2's error; empty on success. For the record.
  var reason = ""
  /// JSON, or whatever a rule wants sent; empty on APNs' success.
  var body: [UInt8] = []
  /// The header `retry-after`, in seconds.
  var retryAfter: Int?

  static let accepted = Reply(status: 200)
}

extension Reply {
  /// An APNs refusal: `{"reason":…}`, with the time on a 410 (protocol/apns.md 7).
  init(apns reason: String, status: Int, timestamp: Int64?) {
    self.status = status
    self.reason = reason
    body = Array("{\"reason\":\"\(reason)\"".utf8)
    if let timestamp { body += Array(",\"timestamp\":\(timestamp)".utf8) }
    body.append(UInt8(ascii: "}"))
  }
}
