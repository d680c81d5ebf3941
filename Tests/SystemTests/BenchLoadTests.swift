import RedisClient
import TestSupport
import Testing

@Suite(.redis) struct BenchLoadTests {
  private let bench = Product("allim-bench")

  private func onServer(_ command: RedisCommand) async throws -> RedisReply {
    let url = try redis().url
    return try await onLoop { loop in
      let connection = try await RedisConnection.connect(to: url, on: loop, timeout: .seconds(5))
      defer { connection.close() }
      return await connection.call(command, timeout: .seconds(5))
    }
  }

  private func url() throws -> String { "unix://" + (try redis().socket) }

  @Test(arguments: ["1", "99999", "1000000"]) func `every sample event has the same size`(
    number: String
  ) async throws {
    let ending = try await bench.run(["event", "--number", number])
    #expect(ending.status == 0)
    #expect(ending.output.first?.utf8.count == 581)
  }

  @Test func `a list is filled with as many events as asked, each for a device of its own`()
    async throws
  {
    let ending = try await bench.run([
      "fill", "--redis", url(), "--list", "filled", "--events", "1234",
    ])
    #expect(ending.output == [#"{"length":1234,"eventBytes":581}"#])
    let items = try await onServer(RedisCommand("LRANGE", "filled", "0", "-1")).array ?? []
    #expect(Set(items.compactMap(\.bytes)).count == 1234)
    #expect(items.allSatisfy { $0.bytes?.count == 581 })
  }

  @Test func `each push of the latency probe is reported with its device`() async throws {
    let ending = try await bench.run([
      "latency", "--redis", url(), "--list", "probed", "--samples", "3", "--pause", "1",
    ])
    #expect(ending.output.first?.ranges(of: "\"token\"").count == 3)
    #expect(try await onServer(RedisCommand("LLEN", "probed")).integer == 3)
  }

  @Test(arguments: [["fill"], ["latency", "--redis"], ["event", "--number", "-1"], []])
  func `wrong use ends with status 2`(arguments: [String]) async throws {
    #expect(try await bench.run(arguments).status == 2)
  }
}
