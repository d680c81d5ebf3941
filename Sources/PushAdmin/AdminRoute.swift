/// One path, what may be done there, and what it answers. GET implies HEAD.
struct AdminRoute: Sendable {
  let method: String
  let path: String
  let kind: AdminAccess.Kind
  let answer: @Sendable (AdminRequest) async -> AdminReply

  /// Browsers keep to this: nothing but our own files runs, and nobody frames the page.
  static let contentPolicy =
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    + "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

  /// The table of paths.
  static func all(_ state: AdminState) -> [AdminRoute] {
    probes(state) + AdminPage.files.map(file)
      + [
        AdminRoute(method: "GET", path: AdminPage.descriptionPath, kind: .read) { _ in
          AdminReply(
            status: 200, contentType: "application/json", body: [UInt8](PageFiles.description.utf8))
        }
      ] + AdminOperation.allCases.map { api($0, state) }
  }

  private static func probes(_ state: AdminState) -> [AdminRoute] {
    [
      AdminRoute(method: "GET", path: "/livez", kind: .open) { _ in
        AdminReply(await state.liveness())
      },
      AdminRoute(method: "GET", path: "/readyz", kind: .open) { _ in
        AdminReply(await state.readiness())
      },
      AdminRoute(method: "GET", path: "/metrics", kind: .metrics) { _ in
        AdminReply(
          status: 200, contentType: "text/plain; version=0.0.4; charset=utf-8",
          body: [UInt8](await state.metrics().utf8))
      },
    ]
  }

  private static func file(_ file: AdminPage.File) -> AdminRoute {
    AdminRoute(method: "GET", path: file.path, kind: .open) { _ in
      AdminReply(status: 200, contentType: file.type, body: [UInt8](file.text.utf8))
    }
  }

  private static func api(_ operation: AdminOperation, _ state: AdminState) -> AdminRoute {
    AdminRoute(
      method: operation.method, path: operation.path, kind: operation.isChange ? .change : .read
    ) { request in
      let reply = await state.perform(operation, request)
      if operation.isChange { state.audit(operation, request, Int(reply.status)) }
      return reply
    }
  }
}
