import HTTP2
import LoopIO
import Testing

@testable import PushSimulator

@Suite struct ControlPortTests {
  @Test func `rules, clock, record and figures over plain HTTP`() async throws {
    try await SimulatorBench.run { bench in
      let control = HTTPCaller(bench)
      let rules = try await control.call(
        "POST", "/rules", #"[{"respond":{"status":500},"times":1}]"#)
      #expect(rules.status == 200)
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      #expect(try await bench.send(push, through: pool).status == 500)
      #expect(try await control.call("POST", "/clock", #"{"offset":-7200}"#).status == 200)
      #expect(try await bench.send(push, through: pool).reason == "InvalidProviderToken")
      let all = try await control.call("GET", "/received?since=2")
      #expect(all.json?["requests.0.n"] == "2")
      let connections = try await control.call("GET", "/connections")
      #expect(connections.json?["connections.0.requests"] == "2")
      let stats = try await control.call("GET", "/stats")
      #expect(stats.json?["answers.500"] == "1")
      #expect(stats.json?["longestStallMs"] != nil)
      #expect(try await control.call("DELETE", "/received").status == 200)
      #expect(try await control.call("GET", "/stats").json?["requests"] == "0")
    }
  }

  @Test func `a wrong call says what is wrong`() async throws {
    try await SimulatorBench.run { bench in
      let control = HTTPCaller(bench)
      let rules = try await control.call("POST", "/rules", #"[{"acton":"hang"}]"#)
      #expect(rules.status == 400)
      #expect(rules.json?["error"]?.contains("acton") == true)
      #expect(try await control.call("POST", "/clock", "{}").status == 400)
      #expect(try await control.call("GET", "/received?since=x").status == 400)
      #expect(try await control.call("GET", "/nothing").status == 404)
      #expect(try await control.call("DELETE", "/stats").status == 405)
    }
  }
}

/// A client of HTTP/1.1 that knows one request a connection.
final class HTTPCaller {
  struct Answer {
    let status: Int
    let json: JSONText?
  }

  private let bench: SimulatorBench

  init(_ bench: SimulatorBench) { self.bench = bench }

  func call(_ method: String, _ path: String, _ body: String = "") async throws -> Answer {
    let stream = try await ByteStream.connect(
      to: .tcp(host: "127.0.0.1", port: bench.ports.control), on: bench.loop,
      timeout: .seconds(5))
    let exchange = Exchange(
      "\(method) \(path) HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n"
        + "content-length: \(body.utf8.count)\r\n\r\n\(body)")
    let text = String(decoding: await exchange.run(on: stream), as: UTF8.self)
    let status = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    let end = text.range(of: "\r\n\r\n")
    return Answer(
      status: status ?? 0, json: end.flatMap { JSONText(Array(text[$0...].utf8)) })
  }

  private final class Exchange: ByteStreamOwner {
    private let request: String
    private var answer: [UInt8] = []
    private var waiting: CheckedContinuation<[UInt8], Never>?

    init(_ request: String) { self.request = request }

    nonisolated(nonsending) func run(on stream: ByteStream) async -> [UInt8] {
      await withCheckedContinuation { continuation in
        waiting = continuation
        stream.owner = self
        stream.setNeedsFill()
        stream.startReading()
      }
    }

    func streamRead(_ bytes: Span<UInt8>) {
      for index in bytes.indices { answer.append(bytes[index]) }
    }

    func streamFill(_ output: inout [UInt8]) { output += Array(request.utf8) }

    func streamClosed(_ error: StreamError?) {
      waiting?.resume(returning: answer)
      waiting = nil
    }
  }
}

extension String {
  /// The place after the first `mark`.
  fileprivate func range(of mark: String) -> String.Index? {
    var at = startIndex
    while at < endIndex {
      if self[at...].hasPrefix(mark) { return index(at, offsetBy: mark.count) }
      at = index(after: at)
    }
    return nil
  }
}
