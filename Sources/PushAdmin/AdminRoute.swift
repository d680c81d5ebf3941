/// One path and what it answers to GET and HEAD.
struct AdminRoute: Sendable {
  let path: String
  let answer: @Sendable () async -> AdminReply

  /// The table of paths.
  static func all(_ state: AdminState) -> [AdminRoute] {
    [
      AdminRoute(path: "/livez") { AdminReply(await state.liveness()) },
      AdminRoute(path: "/readyz") { AdminReply(await state.readiness()) },
      AdminRoute(path: "/metrics") {
        AdminReply(
          status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
          body: [UInt8](await state.metrics().utf8))
      },
    ]
  }
}

/// A whole answer.
struct AdminReply: Sendable {
  var status: UInt32
  var contentType = "text/plain; charset=utf-8"
  var body: [UInt8]
  /// `allow` of a 405.
  var allow: String?

  static let notFound = AdminReply(status: 404, body: [UInt8]("not found\n".utf8))
  static let stopping = AdminReply(status: 503, body: [UInt8]("stopping\n".utf8))
  static let wrongMethod = AdminReply(
    status: 405, body: [UInt8]("method not allowed\n".utf8), allow: "GET, HEAD")
}

extension AdminReply {
  init(_ report: AdminReport) {
    let text = report.text.isEmpty ? (report.isGood ? "ok" : "not ok") : report.text
    self.init(status: report.isGood ? 200 : 503, body: [UInt8]((text + "\n").utf8))
  }
}
