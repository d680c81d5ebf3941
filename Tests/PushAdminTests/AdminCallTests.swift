import SharedState
import TestSupport
import Testing

@testable import PushAdmin

/// Calls over real connections.
@Suite struct AdminCallTests {
  private static let token = "0123456789abcdef"
  private static let rights = [
    "Authorization: Bearer 0123456789abcdef", "Content-Type: application/json",
  ]

  /// What the calls were, as `operation query body status`.
  private final class Book: Sendable {
    let lines = Guarded<[String]>([])
    func note(_ line: String) { lines.withLock { $0.append(line) } }
  }

  private func serve(
    _ book: Book = Book(), readOnly: Bool = false,
    _ body: (AdminServer) async throws -> Void
  ) async throws {
    let state = AdminState(
      liveness: { AdminReport(isGood: true) }, readiness: { AdminReport(isGood: true) },
      metrics: { "" },
      perform: { operation, request in
        let query = request.query.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
        book.note(
          "\(operation.rawValue) \(query) \(String(decoding: request.body, as: UTF8.self))"
            + (request.isAuthorized ? " authorized" : ""))
        return .json("{}")
      },
      audit: { operation, request, status in
        book.note("audit \(operation.rawValue) \(request.peer) \(status)")
      })
    let server = try AdminServer(
      .fixed(host: "127.0.0.1", port: 0), state,
      AdminAccess(token: Self.token, isReadOnly: readOnly))
    defer { server.stop() }
    try await body(server)
  }

  @Test func `a call reaches its operation with query and body`() async throws {
    let book = Book()
    try await serve(book) { server in
      let list = await PlainClient.ask(
        server.address, "GET", "/api/v1/dead?reason=rejected&text=a%20b%26c&app=")
      #expect(list.hasPrefix("HTTP/1.1 200 "))
      let body = #"{"workers":3}"#
      let scale = await PlainClient.ask(
        server.address, "POST", "/api/v1/scale", Self.rights, body: body)
      #expect(scale.hasPrefix("HTTP/1.1 200 ") && scale.contains("application/json"))
    }
    #expect(
      book.lines.withLock { $0 } == [
        #"dead ["app=", "reason=rejected", "text=a b&c"] "#,
        #"scale [] {"workers":3} authorized"#, "audit scale 127.0.0.1 200",
      ])
  }

  @Test func `refused changes are audited and do nothing`() async throws {
    let book = Book()
    try await serve(book) { server in
      let answer = await PlainClient.ask(server.address, "POST", "/api/v1/pause", body: "{}")
      #expect(answer.hasPrefix("HTTP/1.1 401 ") && answer.contains("WWW-Authenticate: Bearer"))
    }
    try await serve(book, readOnly: true) { server in
      let answer = await PlainClient.ask(
        server.address, "POST", "/api/v1/pause", Self.rights, body: "{}")
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
    }
    #expect(
      book.lines.withLock { $0 } == ["audit pause 127.0.0.1 401", "audit pause 127.0.0.1 403"])
  }

  @Test func `methods are those of the table`() async throws {
    try await serve { server in
      let get = await PlainClient.ask(server.address, "GET", "/api/v1/pause", Self.rights)
      #expect(get.hasPrefix("HTTP/1.1 405 ") && get.contains("Allow: POST\r\n"))
      let post = await PlainClient.ask(server.address, "POST", "/api/v1/stats", Self.rights)
      #expect(post.hasPrefix("HTTP/1.1 405 ") && post.contains("Allow: GET, HEAD\r\n"))
      let asked = await PlainClient.ask(server.address, "OPTIONS", "/api/v1/pause")
      #expect(asked.hasPrefix("HTTP/1.1 405 ") && !asked.contains("Access-Control"))
    }
  }

  @Test func `a body over the limit is not taken`() async throws {
    let book = Book()
    try await serve(book) { server in
      let large = String(repeating: "x", count: AdminExchange.maximumBody + 1)
      let answer = await PlainClient.ask(
        server.address, "POST", "/api/v1/pause", Self.rights, body: large)
      #expect(answer.hasPrefix("HTTP/1.1 413 "))
      // Beyond all measure the connection is ended, whatever has been sent by then.
      let endless = String(repeating: "x", count: 8_000_000)
      let end = await PlainClient.ask(
        server.address, "POST", "/api/v1/pause", Self.rights, body: endless)
      #expect(!end.hasPrefix("HTTP/1.1 200 "))
      #expect(await PlainClient.ask(server.address, "GET", "/livez").hasPrefix("HTTP/1.1 200 "))
    }
    #expect(book.lines.withLock { $0 } == [])
  }

  @Test func `every answer forbids sniffing, framing, storing and foreign scripts`() async throws {
    try await serve { server in
      for path in ["/", "/page/app.js", "/api/v1/stats", "/nowhere"] {
        let answer = await PlainClient.ask(server.address, "GET", path)
        for header in [
          "X-Content-Type-Options: nosniff", "Cache-Control: no-store",
          "Content-Security-Policy: default-src 'none'; script-src 'self';",
          "frame-ancestors 'none'", "X-Frame-Options: DENY",
        ] { #expect(answer.contains(header), "\(path): \(header)") }
        #expect(!answer.contains("unsafe-inline"))
      }
    }
  }

  @Test func `who drips a request is let go, who has sent it is not`() {
    var watch = ConnectionWatch()
    let second: Int64 = 1_000_000_000
    watch.owes(4, now: 0)
    watch.owes(5, now: 20 * second)
    watch.owes(6, now: 0)
    watch.isEven(6)
    #expect(watch.overdue(now: 30 * second) == [])
    #expect(watch.overdue(now: 31 * second) == [4])
    watch.isEven(4)
    #expect(watch.overdue(now: 51 * second) == [5])
  }
}
