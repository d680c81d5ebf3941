/// A whole answer.
package struct AdminReply: Sendable {
  package var status: UInt32
  package var contentType = "text/plain; charset=utf-8"
  package var body: [UInt8]
  /// `allow` of a 405.
  var allow: String?

  static let notFound = AdminReply(status: 404, body: [UInt8]("not found\n".utf8))
  static let stopping = AdminReply(status: 503, body: [UInt8]("stopping\n".utf8))

  static func wrongMethod(allowed: String) -> AdminReply {
    AdminReply(status: 405, body: [UInt8]("method not allowed\n".utf8), allow: allowed)
  }

  /// - Parameter json: one JSON value.
  package static func json(_ json: String, status: UInt32 = 200) -> AdminReply {
    AdminReply(status: status, contentType: "application/json", body: [UInt8]((json + "\n").utf8))
  }

  /// `text` is one of our own sentences: it holds nothing that JSON would escape.
  static func refusal(_ status: UInt32, _ text: StaticString) -> AdminReply {
    .json("{\"error\":\"\(text)\"}", status: status)
  }

  static let tooLarge = refusal(413, "the body is too large")
}

extension AdminReply {
  init(_ report: AdminReport) {
    let text = report.text.isEmpty ? (report.isGood ? "ok" : "not ok") : report.text
    self.init(status: report.isGood ? 200 : 503, body: [UInt8]((text + "\n").utf8))
  }
}
