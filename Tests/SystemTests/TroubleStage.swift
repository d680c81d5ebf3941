import LoopIO
import RedisClient
import TestSupport
import Testing

/// A worker between a Redis that gets into trouble and the simulator, with the worker's log.
final class TroubleStage {
  let loop: Loop
  let simulator: RunningSimulator
  let worker: RunningWorker
  private let producer: RedisClient
  private let logFile: String
  private let folder = TemporaryFolder()
  private var pushed = 0

  /// `url` is the worker's; producers use `producer`.
  init(
    on loop: Loop, worker url: String, producer: RedisClient, settings: [String] = []
  ) async throws {
    self.loop = loop
    self.producer = producer
    simulator = try await RunningSimulator(on: loop)
    logFile = folder.file("log")
    worker = try RunningWorker(
      on: loop, configuration: simulator.configuration, redis: url, settings: settings,
      log: logFile)
  }

  /// Pushes events until each is acknowledged.
  func push(_ count: Int, to queue: String = "push:messages") async {
    for _ in 0..<count {
      let event = Self.event(pushed)
      pushed += 1
      let isPushed = await eventually(on: loop) {
        if case .integer = await producer.call(RedisCommand("RPUSH", queue, event)) { return true }
        return false
      }
      #expect(isPushed, "an event could not be pushed")
    }
  }

  /// True once each event of all `push` so far was accepted at least once.
  func allAreAccepted(within limit: Duration = .seconds(60)) async -> Bool {
    await eventually(within: limit, on: loop) {
      let accepted = simulator.accepted()
      return (0..<pushed).allSatisfy { accepted[Self.token($0)] != nil }
    }
  }

  /// Requests over one for each event.
  var repeats: Int { simulator.accepted().values.reduce(0, +) - pushed }

  var log: [Substring] {
    String(decoding: read(logFile) ?? [], as: UTF8.self).split(separator: "\n")
  }

  func stop() async {
    #expect(await worker.stop() == ExitStatus())
    await simulator.stop()
    producer.close()
  }

  private static func token(_ number: Int) -> String {
    let digits = String(number, radix: 16)
    return "a" + String(repeating: "0", count: 63 - digits.count) + digits
  }

  private static func event(_ number: Int) -> String {
    "{\"id\":\"e\(number)\",\"type\":\"message\",\"room\":{\"id\":\(number),\"name\":\"Team\"},"
      + "\"message\":{\"id\":\(number),\"text\":\"hello\"},"
      + "\"devices\":[{\"platform\":\"ios\",\"token\":\"\(token(number))\"}]}"
  }
}
