import Glibc
import PushAdmin
import PushTelemetry
import TestSupport
import Testing

@Suite struct AdminServerTests {
  private func state(isGood: Bool = true) -> AdminState {
    let metrics = WorkerMetrics(version: "1")
    return AdminState(
      liveness: { AdminReport(isGood: isGood, isGood ? "" : "loop 0 stands still") },
      readiness: { AdminReport(isGood: isGood, isGood ? "redis embedded" : "redis unreachable") },
      metrics: { metrics.registry.render() })
  }

  private func server(_ state: AdminState) throws -> AdminServer {
    try AdminServer(.fixed(host: "127.0.0.1", port: 0), state, access)
  }

  private let access = AdminAccess(token: "")

  @Test func `probes answer 200 when all is well`() async throws {
    let server = try server(state())
    defer { server.stop() }
    let live = await PlainClient.ask(server.address, "GET", "/livez")
    #expect(live.hasPrefix("HTTP/1.1 200 ") && live.hasSuffix("\r\n\r\nok\n"))
    let ready = await PlainClient.ask(server.address, "GET", "/readyz")
    #expect(ready.hasPrefix("HTTP/1.1 200 ") && ready.hasSuffix("\r\n\r\nredis embedded\n"))
    #expect(ready.contains("Cache-Control: no-store\r\n"))
  }

  @Test func `probes answer 503 with the reason`() async throws {
    let server = try server(state(isGood: false))
    defer { server.stop() }
    let live = await PlainClient.ask(server.address, "GET", "/livez")
    #expect(live.hasPrefix("HTTP/1.1 503 ") && live.hasSuffix("\r\n\r\nloop 0 stands still\n"))
    let ready = await PlainClient.ask(server.address, "GET", "/readyz")
    #expect(ready.hasPrefix("HTTP/1.1 503 ") && ready.hasSuffix("redis unreachable\n"))
  }

  @Test func `metrics come in Prometheus' format`() async throws {
    let server = try server(state())
    defer { server.stop() }
    let answer = await PlainClient.ask(server.address, "GET", "/metrics")
    #expect(answer.contains("Content-Type: text/plain; version=0.0.4; charset=utf-8\r\n"))
    #expect(answer.contains("\n# TYPE allim_workers gauge\nallim_workers 0\n"))
  }

  @Test func `HEAD has no body, other paths and methods are refused`() async throws {
    let server = try server(state())
    defer { server.stop() }
    let head = await PlainClient.ask(server.address, "HEAD", "/livez")
    #expect(head.hasPrefix("HTTP/1.1 200 ") && head.hasSuffix("\r\n\r\n"))
    #expect(await PlainClient.ask(server.address, "GET", "/livez/x").hasPrefix("HTTP/1.1 404 "))
    let post = await PlainClient.ask(
      server.address, "POST", "/livez", body: String(repeating: "x", count: 100_000))
    #expect(post.hasPrefix("HTTP/1.1 405 ") && post.contains("Allow: GET, HEAD\r\n"))
  }

  @Test func `a slow answer holds up nobody`() async throws {
    let gate = Gate()
    var state = state()
    state.metrics = {
      await gate.wait()
      return "late\n"
    }
    let server = try server(state)
    defer { server.stop() }
    let slow = try #require(PlainClient(server.address))
    slow.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    await gate.arrived()
    #expect(await PlainClient.ask(server.address, "GET", "/livez").hasPrefix("HTTP/1.1 200 "))
    await gate.open()
    #expect(await slow.rest().hasSuffix("\r\n\r\nlate\n"))
  }

  @Test func `stopping with a request in progress ends it, and late answers are dropped`()
    async throws
  {
    let gate = Gate()
    var state = state()
    state.metrics = {
      await gate.wait()
      return "late\n"
    }
    let server = try server(state)
    let client = try #require(PlainClient(server.address))
    client.send("GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n")
    await gate.arrived()
    server.stop()
    let rest = await client.rest()
    #expect(!rest.contains("late"))
    await gate.open()
    #expect(await PlainClient.ask(server.address, "GET", "/livez") == "refused")
    server.stop()
  }

  @Test func `a copy of the listening socket in a child does not keep it open`() async throws {
    let server = try server(state())
    let copy = try #require(copyOfListener(server.address))
    defer { close(copy) }
    server.stop()
    #expect(await PlainClient.ask(server.address, "GET", "/livez") == "refused")
  }

  /// What a child holds between its fork and its exec.
  private func copyOfListener(_ address: String) -> Int32? {
    let port = address.split(separator: ":").last.flatMap { UInt16($0) }
    for descriptor in Int32(3)..<8_192 {
      var (name, size) = (sockaddr_in(), socklen_t(MemoryLayout<sockaddr_in>.size))
      let code = unsafe withUnsafeMutablePointer(to: &name) {
        unsafe $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
          unsafe getsockname(descriptor, $0, &size)
        }
      }
      var (isListening, length) = (Int32(0), socklen_t(4))
      unsafe getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &length)
      if code == 0, isListening == 1, UInt16(bigEndian: name.sin_port) == port {
        return dup(descriptor)
      }
    }
    return nil
  }

  @Test func `a taken address is an error when it was asked for, and passed over when not`()
    async throws
  {
    let first = try AdminServer(.automatic, state(), access)
    defer { first.stop() }
    let second = try AdminServer(.automatic, state(), access)
    defer { second.stop() }
    #expect(first.address != second.address)
    #expect(await PlainClient.ask(second.address, "GET", "/livez").hasPrefix("HTTP/1.1 200 "))
    let port = try #require(second.address.split(separator: ":").last.flatMap { Int($0) })
    let error = #expect(throws: AdminError.self) {
      _ = try AdminServer(.fixed(host: "127.0.0.1", port: port), state(), access)
    }
    #expect(error?.description == "cannot listen on 127.0.0.1:\(port): Address already in use")
  }
}

/// Holds whoever waits until it is opened, and tells when the first has come.
actor Gate {
  private var isOpen = false
  private var hasArrived = false
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var watching: [CheckedContinuation<Void, Never>] = []

  func wait() async {
    hasArrived = true
    for watcher in watching { watcher.resume() }
    watching = []
    if !isOpen { await withCheckedContinuation { waiting.append($0) } }
  }

  func arrived() async {
    if !hasArrived { await withCheckedContinuation { watching.append($0) } }
  }

  func open() {
    isOpen = true
    for waiter in waiting { waiter.resume() }
    waiting = []
  }
}
