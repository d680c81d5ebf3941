import HTTP2
import LoopIO
import SharedState
import TestSupport
import Testing

@Suite struct NghttpdTests {
  @Test func `requests to a foreign server over TLS are answered with status, body and fields`()
    async throws
  {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: server.client)
      settings.keptHeaders = ["content-type", "server"]
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      let answer = try answered(await pool.send(request("/ok"), body: Array("{}".utf8)))
      #expect(answer.status == 200)
      #expect(answer.body == Array("accepted".utf8))
      #expect(answer.header("server")?.starts(with: "nghttpd".utf8) == true)
      #expect(answer.header("date") == nil)
      let missing = try answered(await pool.send(request("/missing"), body: []))
      #expect(missing.status == 404)
      await pool.shutDown()
      #expect(pool.snapshot.open == 0)
    }
  }

  @Test func `thousands of requests share few connections`() async throws {
    try await onLoop { loop in
      let server = try await Nghttpd(on: loop)
      var settings = PoolSettings(endpoint: server.endpoint, tls: server.client)
      settings.requestsPerSecond = 0
      settings.maxConnections = 2
      let pool = ConnectionPool(settings, on: loop, clock: SystemClock())
      let accepted = await sendMany(200, each: 25, through: pool, on: loop)
      #expect(accepted == 5_000)
      #expect(pool.snapshot.events.opened <= 2)
      #expect(pool.snapshot.starts == 5_000)
      await pool.shutDown()
    }
  }
}
