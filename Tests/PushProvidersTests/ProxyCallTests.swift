import HTTP2
import LoopIO
import PushCrypto
import PushSettings
import TestSupport
import Testing

@testable import PushProviders

/// BR-20: the token endpoint is reached through the proxy too.
@Suite struct ProxyCallTests {
  private func withCall(
    user: String? = nil, password: String? = nil,
    _ body: @escaping @Sendable (StubServer, ConnectProxy, HTTPSCall) async throws -> Void
  ) async throws {
    try await withServer { loop, server in
      let proxy = try ConnectProxy(on: loop)
      var call = HTTPSCall(
        url: "https://localhost:\(server.port)/token", form: [], caFile: server.caFile)
      call.proxy.address = HostPort(host: "127.0.0.1", port: proxy.port)
      (call.proxy.user, call.proxy.password) = (user, password)
      try await body(server, proxy, call)
      proxy.close()
    }
  }

  /// On a thread of its own: libcurl blocks.
  private func perform(_ call: HTTPSCall) async -> Result<HTTPSCall.Reply, HTTPSCall.Failure> {
    await withCheckedContinuation { continuation in
      let runs = OwnThread.run {
        continuation.resume(
          returning: Result { () throws(HTTPSCall.Failure) in try call.perform() })
      }
      precondition(runs)
    }
  }

  @Test func `a call goes through the proxy, with user and password`() async throws {
    try await withCall(user: "svc", password: "p@ss:1") { server, proxy, call in
      proxy.answer = { $0.authorization == "Basic c3ZjOnBAc3M6MQ==" ? .open : .status(407) }
      let reply = try await perform(call).get()
      #expect(reply.status == 200)
      #expect(proxy.pairs.count == 1 && server.connections == 1)
      #expect(proxy.requests.last?.target == "localhost:\(server.port)")
      #expect(call.proxy.http?.authorization == Array("Basic c3ZjOnBAc3M6MQ==".utf8))
    }
  }

  @Test(arguments: [nil, "wrong"]) func `a 407 is told plainly`(password: String?) async throws {
    try await withCall(user: password, password: password) { server, proxy, call in
      proxy.answer = { _ in .status(407) }
      guard case .failure(let failure) = await perform(call) else {
        Issue.record("it passed")
        return
      }
      #expect(failure.detail.hasSuffix("user \(password == nil ? "and" : "or") password (407)"))
      #expect(server.connections == 0)
    }
  }

  @Test func `a proxy that is not there is never passed by`() async throws {
    try await withCall { server, proxy, call in
      proxy.close()
      guard case .failure = await perform(call) else {
        Issue.record("it passed")
        return
      }
      #expect(server.connections == 0)
    }
  }
}
