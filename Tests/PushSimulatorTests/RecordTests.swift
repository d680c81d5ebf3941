import HTTP2
import LoopIO
import TestSupport
import Testing

@testable import PushSimulator

@Suite struct RecordTests {
  @Test func `every request stands in the record with headers, body and answer`() async throws {
    try await SimulatorBench.run { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      push.body = Array(#"{"aps":{"alert":"안녕"},"id":12345678901234567890}"#.utf8)
      #expect(try await bench.send(push, through: pool).status == 200)
      push.body = [0xFF, 0x00]
      #expect(try await bench.send(push, through: pool).status == 400)
      let text = try await bench.received()
      #expect(text["next"] == "3")
      #expect(text["requests.0.provider"] == "apns")
      #expect(text["requests.0.environment"] == "production")
      #expect(text["requests.0.connection"] == "1")
      #expect(text["requests.0.stream"] == "1")
      #expect(text["requests.0.headers.apns-topic"] == "com.example.chat")
      #expect(text["requests.0.body.id"] == "12345678901234567890")
      #expect(text["requests.0.body.aps.alert"] == "안녕")
      #expect(text["requests.0.answer.status"] == "200")
      #expect(text["requests.1.bodyBase64"] == "/wA=")
      #expect(text["requests.1.answer.reason"] == "PayloadEmpty")
      let time = try #require(text["requests.1.time"].flatMap { Int64($0) })
      #expect(time > 1_700_000_000_000_000)
    }
  }

  @Test func `the record keeps the newest and numbers them all`() throws {
    var log = try ReceivedLog(keep: 3, file: nil)
    for number in 1...5 { log.append(Array("\(number)".utf8)) }
    func read(_ since: Int64) -> String { String(decoding: log.json(since: since), as: UTF8.self) }
    #expect(read(0) == #"{"next":6,"first":3,"requests":[3,4,5]}"#)
    #expect(read(5) == #"{"next":6,"first":3,"requests":[5]}"#)
    #expect(read(6) == #"{"next":6,"first":3,"requests":[]}"#)
    log.clear()
    #expect(read(0) == #"{"next":6,"first":6,"requests":[]}"#)
    log.append(Array("6".utf8))
    #expect(read(0) == #"{"next":7,"first":6,"requests":[6]}"#)
  }

  @Test func `a line is in the file before anything else happens`() throws {
    let folder = TemporaryFolder()
    let path = folder.file("record.jsonl")
    var log = try ReceivedLog(keep: 1, file: path)
    log.append(Array("1".utf8))
    #expect(read(path) == Array("1\n".utf8))
    log.append(Array("2".utf8))
    #expect(read(path) == Array("1\n2\n".utf8))
  }

  @Test func `a file gets the same lines`() async throws {
    let folder = TemporaryFolder()
    let path = folder.file("record.jsonl")
    try await SimulatorBench.run {
      $0.recordFile = path
      $0.keep = 1
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      for _ in 0..<2 { _ = try await bench.send(push, through: pool) }
      let lines = (read(path) ?? []).split(separator: UInt8(ascii: "\n"))
      #expect(lines.count == 2)
      #expect(lines.allSatisfy { JSONText(Array($0))?["answer.status"] == "200" })
      #expect(try await bench.received()["first"] == "2")
    }
  }

  @Test func `count-only counts and keeps nothing`() async throws {
    try await SimulatorBench.run {
      $0.countOnly = true
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      for _ in 0..<5 { _ = try await bench.send(push, through: pool) }
      let stats = try #require(JSONText(await bench.simulator.get("/stats")))
      #expect(stats["requests"] == "5")
      #expect(stats["answers.200"] == "5")
      #expect(try await bench.received()["requests.0.n"] == nil)
    }
  }

  @Test func `latency delays every answer`() async throws {
    try await SimulatorBench.run {
      $0.latency = 80
    } _: { bench in
      let pool = try bench.pool(bench.ports.apns)
      var push = Push()
      push.bearer = try bench.jwt()
      let start = ContinuousClock.now
      #expect(try await bench.send(push, through: pool).status == 200)
      #expect(ContinuousClock.now - start >= .milliseconds(79))
    }
  }
}
